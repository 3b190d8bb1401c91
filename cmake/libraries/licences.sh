#!/bin/sh
# licences.sh PARTS FOLDER: copies into FOLDER the licences of Headlight and of what the page and the Windows program bring along,
# from where fetch.sh put them.
set -eu
parts=$1 folder=$2
mkdir -p "$folder"
cp LICENSE "$folder/headlight"
for name in fonts-inter fonts-jetbrains-mono fonts-stix fonts-wqy-microhei libeigen3-dev nlohmann-json3-dev libcli11-dev; do
  cp "$parts/usr/share/doc/$name/copyright" "$folder/$name"
done
for file in imgui/LICENSE.txt freetype/LICENSE.TXT libzip/LICENSE utf8proc/LICENSE.md giflib/COPYING zlib/LICENSE libpng1.6/LICENSE; do
  cp "$parts/src/$file" "$folder/${file%%/*}"
done
cp "$parts"/src/pcre2/LICENCE* "$folder/pcre2"
# Only in the Windows program.
for file in glfw3/LICENSE.md libjpeg-turbo/LICENSE.md; do
  [ ! -f "$parts/src/$file" ] || cp "$parts/src/$file" "$folder/${file%%/*}"
done
