// A fresh folder that is removed with everything in it. Qt-free; QtTest code may as well use
// QTemporaryDir.
#pragma once

#include <string>

namespace hearth::test {

class TempDir {
public:
    TempDir();  // aborts if there is no place for one
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace hearth::test
