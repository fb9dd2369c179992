# Writes HEADER, an array NAME of the words of the file SPIRV, as a compiler of shaders writes it.
file(READ ${SPIRV} hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
file(WRITE ${HEADER} "#pragma once\nconst uint32_t ${NAME}[] = {${words}};\n")
