// One program holds all QtTest classes of a folder below tests/, which saves their build time: the
// first argument names the class to run by the stem of its file, the rest is QtTest's. Each test is
// a process of its own all the same.
//
//   build/tests/test_engine_gguf reader both_versions
//
// A test file is written as any QtTest file is. This header is included before it, by the
// precompiled header, and QTEST_MAIN and its like enter the class in the program's list.
// CMakeLists.txt says ALONE of a test that cannot share a program, and OWN_MAIN of one that has a
// main() of its own.
#pragma once

#include <QtTest>

#if defined(QT_WIDGETS_LIB)
#error "Tests of Qt Widgets are not provided for: add QApplication to HEARTH_TEST_APPLICATION"
#elif defined(QT_GUI_LIB)
#include <QGuiApplication>
#define HEARTH_TEST_APPLICATION QGuiApplication
#else
#include <QCoreApplication>
#define HEARTH_TEST_APPLICATION QCoreApplication
#endif

namespace hearth::test {

// Adds a class to the list when it is constructed, before main().
class ProgramEntry {
public:
    using Run = int (*)(int argc, char** argv);
    // `file` is tests/.../reader_test.cpp; the name is "reader". Two entries of one name end the
    // program.
    ProgramEntry(const char* file, Run run);
};

// Runs the test with an application object, as QTEST_MAIN and QTEST_GUILESS_MAIN do.
template <class Application, class Test>
int run_with(int argc, char** argv) {
    Application application(argc, argv);
    Application::setAttribute(Qt::AA_Use96Dpi, true);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

// Runs the test without one, as QTEST_APPLESS_MAIN does.
template <class Test>
int run_without(int argc, char** argv) {
    Test test;
    return QTest::qExec(&test, argc, argv);
}

}  // namespace hearth::test

#undef QTEST_MAIN
#undef QTEST_GUILESS_MAIN
#undef QTEST_APPLESS_MAIN
#define QTEST_MAIN(Test)                            \
    static const hearth::test::ProgramEntry kEntry{ \
        __FILE__, &hearth::test::run_with<HEARTH_TEST_APPLICATION, Test>};
#define QTEST_GUILESS_MAIN(Test)                    \
    static const hearth::test::ProgramEntry kEntry{ \
        __FILE__, &hearth::test::run_with<QCoreApplication, Test>};
#define QTEST_APPLESS_MAIN(Test) \
    static const hearth::test::ProgramEntry kEntry{__FILE__, &hearth::test::run_without<Test>};
