// path-entry add FOLDER | path-entry remove FOLDER: the user's own search path, HKCU\Environment\Path.
//
// A program and not lines of the installer's script: NSIS keeps texts of 1024 characters at most, and
// would cut a longer path. Exit status 0 if the path is as asked for, 1 if it could not be changed;
// then it is as it was.
#include <windows.h>

#include <algorithm>
#include <cwchar>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const wchar_t* kKey = L"Environment";
constexpr const wchar_t* kName = L"Path";

struct Value {
    std::wstring text;
    DWORD type = REG_EXPAND_SZ;  // of a path that is not there yet
    bool is_there = false;
};

// Nothing if it is there and cannot be read, or is no text.
std::optional<Value> read(HKEY key) {
    Value value;
    DWORD type = 0;
    DWORD bytes = 0;
    LONG failed = RegQueryValueExW(key, kName, nullptr, &type, nullptr, &bytes);
    if (failed == ERROR_FILE_NOT_FOUND) {
        return value;
    }
    if (failed != ERROR_SUCCESS || (type != REG_SZ && type != REG_EXPAND_SZ)) {
        return std::nullopt;
    }
    std::vector<wchar_t> buffer(bytes / sizeof(wchar_t) + 1, L'\0');  // the end may be missing
    failed = RegQueryValueExW(key, kName, nullptr, &type, reinterpret_cast<BYTE*>(buffer.data()),
                              &bytes);
    if (failed != ERROR_SUCCESS) {
        return std::nullopt;
    }
    value.text = buffer.data();
    value.type = type;
    value.is_there = true;
    return value;
}

std::wstring_view without_end(std::wstring_view folder) {
    while (folder.size() > 1 && (folder.back() == L'\\' || folder.back() == L'/')) {
        folder.remove_suffix(1);
    }
    return folder;
}

bool same(std::wstring_view a, std::wstring_view b) {
    a = without_end(a);
    b = without_end(b);
    return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

// The path without `folder`; all other entries, empty ones too, stay as they are written.
std::wstring without(std::wstring_view path, std::wstring_view folder) {
    std::wstring out;
    bool first = true;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(L';', at), path.size());
        const std::wstring_view entry = path.substr(at, end - at);
        if (entry.empty() || !same(entry, folder)) {
            out.append(first ? L"" : L";").append(entry);
            first = false;
        }
        at = end + 1;
    }
    return out;
}

bool holds(std::wstring_view path, std::wstring_view folder) {
    return without(path, folder) != path;
}

int change(bool add, const std::wstring& folder) {
    HKEY key = nullptr;
    if (RegCreateKeyExW(HKEY_CURRENT_USER, kKey, 0, nullptr, 0, KEY_QUERY_VALUE | KEY_SET_VALUE,
                        nullptr, &key, nullptr) != ERROR_SUCCESS) {
        return 1;
    }
    const std::optional<Value> before = read(key);
    if (!before) {
        RegCloseKey(key);
        return 1;
    }
    std::wstring text = before->text;
    if (!add) {
        text = without(text, folder);
    } else if (!holds(text, folder)) {
        // Where the path ends with a semicolon, or is there and empty, that comes back with remove.
        text += (before->is_there ? L";" : L"") + folder;
    }
    LONG failed = ERROR_SUCCESS;
    if (!add && same(before->text, folder)) {
        failed = RegDeleteValueW(key, kName);  // it held our entry alone
    } else if (text != before->text) {
        failed = RegSetValueExW(key, kName, 0, before->type,
                                reinterpret_cast<const BYTE*>(text.c_str()),
                                static_cast<DWORD>((text.size() + 1) * sizeof(wchar_t)));
    }
    RegCloseKey(key);
    if (failed != ERROR_SUCCESS) {
        return 1;
    }
    if (text != before->text) {
        // Programs that are started from now on see it.
        SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, reinterpret_cast<LPARAM>(kKey),
                            SMTO_ABORTIFHUNG, 1000, nullptr);
    }
    return 0;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
    const std::wstring what = argc == 3 ? argv[1] : L"";
    // An entry with a semicolon would be two.
    if ((what != L"add" && what != L"remove") || argv[2][0] == L'\0' ||
        std::wcschr(argv[2], L';') != nullptr) {
        return 1;
    }
    return change(what == L"add", argv[2]);
}
