// A library of the system that is loaded when it is first needed, and may be missing.
#pragma once

#include <memory>
#include <string>

namespace hearth {

// Move-only; what symbol() gave is valid as long as it lives.
class SharedLibrary {
public:
    // By the file name the system's loader looks up: "libCbcSolver.so.3". Empty (operator bool is
    // false) if there is none.
    static SharedLibrary open(const std::string& name);

    explicit operator bool() const { return handle_ != nullptr; }

    // Null: the library has no such function. Function is its type, as its header declares it.
    // Precondition: the library was found.
    template <class Function>
    Function* symbol(const char* name) const {
        return reinterpret_cast<Function*>(address(name));
    }

private:
    using Address = void (*)();
    Address address(const char* name) const;

    struct Close {
        void operator()(void* handle) const;
    };
    std::unique_ptr<void, Close> handle_;
};

}  // namespace hearth
