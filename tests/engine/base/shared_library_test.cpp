#include "base/shared_library.h"

#include <QtTest>

using hearth::SharedLibrary;

class SharedLibraryTest : public QObject {
    Q_OBJECT

private slots:
    void missing() {
        QVERIFY(!SharedLibrary::open("libhearth-has-no-such-library.so.7"));
        QVERIFY(!SharedLibrary::open("no/such/folder/libm.so"));
    }

    void found() {
#ifndef __linux__
        QSKIP("the name of a library every system has is known here for Linux only");
#else
        SharedLibrary library = SharedLibrary::open("libm.so.6");
        QVERIFY(library);
        double (*const floor)(double) = library.symbol<double(double)>("floor");
        QVERIFY(floor != nullptr);
        QCOMPARE(floor(2.5), 2.0);
        QVERIFY(library.symbol<double(double)>("no_such_function") == nullptr);
        const SharedLibrary moved = std::move(library);
        QVERIFY(moved);
        QVERIFY(!library);
#endif
    }
};

QTEST_GUILESS_MAIN(SharedLibraryTest)
#include "shared_library_test.moc"
