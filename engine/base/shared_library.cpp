#include "base/shared_library.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace hearth {

#ifdef _WIN32

SharedLibrary SharedLibrary::open(const std::string& name) {
    SharedLibrary library;
    library.handle_.reset(LoadLibraryA(name.c_str()));
    return library;
}

SharedLibrary::Address SharedLibrary::address(const char* name) const {
    return reinterpret_cast<Address>(GetProcAddress(static_cast<HMODULE>(handle_.get()), name));
}

void SharedLibrary::Close::operator()(void* handle) const {
    FreeLibrary(static_cast<HMODULE>(handle));
}

#else

// Its code stays: a library that started threads of its own (some BLAS do) must not be unmapped.
SharedLibrary SharedLibrary::open(const std::string& name) {
    SharedLibrary library;
    library.handle_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    return library;
}

SharedLibrary::Address SharedLibrary::address(const char* name) const {
    return reinterpret_cast<Address>(dlsym(handle_.get(), name));
}

void SharedLibrary::Close::operator()(void* handle) const {
    dlclose(handle);
}

#endif

}  // namespace hearth
