# cmake -DPROGRAM=… -DVERSION=… -DOUT=… -P ManPage.cmake: the program's --help as a manual page. Lines that begin at the
# margin and have indented ones below them are headings there.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
string(REGEX REPLACE "\n([^ \n][^\n]*)\n  " "\n.fi\n.SH \\1\n.nf\n  " help "\n${help}")
file(WRITE ${OUT} ".TH HEADLIGHT 1 \"\" \"Headlight ${VERSION}\" \"User Commands\"
.SH NAME
headlight \\- shows every step of multi\\-head attention
.SH DESCRIPTION
.nf
${help}.fi
.SH FILES
.TP
.I $XDG_DATA_HOME/headlight
Lessons, colour maps and styles of one's own, laid out as the shipped ones in
.IR share/headlight .
")
