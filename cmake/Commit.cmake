# cmake -DSOURCE=… -DOUT=… -P Commit.cmake: writes OUT, which says the commit of SOURCE; untouched where it says so already.
# An archive of the source has it in commit.txt, written there by `git archive` (.gitattributes).
file(READ ${SOURCE}/cmake/commit.txt commit)
string(STRIP "${commit}" commit)
if(commit MATCHES "Format")
  set(commit "")
  find_program(git git)
  if(git AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=8 "--exclude=*" WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define HEADLIGHT_COMMIT \"${commit}\"\n" @ONLY)
