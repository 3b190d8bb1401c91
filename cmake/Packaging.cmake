# What `cmake --install` installs in addition to the library (cmake/Library.cmake), and the packages that CPack makes of it: `cpack -G DEB` in the
# build folder, `.ci/tarball` for one that runs without being installed.
if(TARGET headlight)
  set(desktop ${CMAKE_SOURCE_DIR}/assets/desktop)
  install(TARGETS headlight RUNTIME)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/headlight
          PATTERN pictures EXCLUDE PATTERN desktop EXCLUDE PATTERN "*.py" EXCLUDE)
  # What `headlight page` lays documents into, where ./run-web --one-file has made it.
  install(FILES ${CMAKE_SOURCE_DIR}/build/headlight.html DESTINATION ${CMAKE_INSTALL_DATADIR}/headlight OPTIONAL)
  if(UNIX AND NOT APPLE)
    # The manual is the program's own --help, so that it cannot say anything else.
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/headlight.1
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:headlight> -DVERSION=${PROJECT_VERSION}
              -DOUT=${CMAKE_BINARY_DIR}/headlight.1 -P ${CMAKE_SOURCE_DIR}/cmake/ManPage.cmake
      DEPENDS headlight ${CMAKE_SOURCE_DIR}/cmake/ManPage.cmake VERBATIM)
    add_custom_target(headlight_man ALL DEPENDS ${CMAKE_BINARY_DIR}/headlight.1)
    install(FILES ${CMAKE_BINARY_DIR}/headlight.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${desktop}/headlight.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${desktop}/headlight.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
    install(FILES ${desktop}/headlight.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
    foreach(size 48 128 256)
      install(FILES ${desktop}/headlight-${size}.png RENAME headlight.png
              DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
    endforeach()
    install(FILES ${desktop}/headlight.bash RENAME headlight DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${desktop}/headlight.zsh RENAME _headlight DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGE_CONTACT "The Headlight developers <headlight@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Headlight runs multi-head attention step by step and draws every stage from the real numbers:
to teach attention, to explore masks, to debug one's own implementation and to make figures.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# The program and its Python module. The library is installed from the source (cmake/Library.cmake).
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/headlight DESTINATION lib/python3/dist-packages COMPONENT Python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE PATTERN ".mypy_cache" EXCLUDE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};headlight;Unspecified;/" "${CMAKE_BINARY_DIR};headlight;Python;/")
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time, so the linker does not know of them: OpenGL's drivers and at least one font.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libegl1, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, fonts-stix, fonts-wqy-microhei, python3-numpy")
include(CPack)
