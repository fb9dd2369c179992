# Run by CPack on what it is about to pack: the documents that Debian's policy asks for.
find_program(python python3 REQUIRED)
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
set(documents ${root}/share/doc/${CPACK_PACKAGE_NAME})
file(MAKE_DIRECTORY ${documents})

execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/../licences/make_notices.py --debian
        ${root} ${documents}/copyright COMMAND_ERROR_IS_FATAL ANY)

# The date is SOURCE_DATE_EPOCH's, or today's.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9 -n -f ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD_RECURSE ${documents} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
    DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
