#include "system/renderer.h"

#include <QtTest>

using namespace hearth::ui;

class RendererTest : public QObject {
    Q_OBJECT

private slots:
    void knowsProcessors_data();
    void knowsProcessors();
    void leavesTheUsersChoice();
};

void RendererTest::knowsProcessors_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("processor");
    QTest::newRow("Mesa") << "llvmpipe (LLVM 15.0.6, 256 bits)" << true;
    QTest::newRow("older Mesa") << "softpipe" << true;
    QTest::newRow("macOS") << "Apple Software Rasterizer" << true;
    QTest::newRow("Google") << "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)))"
                            << true;
    QTest::newRow("Intel") << "Mesa Intel(R) UHD Graphics 620 (KBL GT2)" << false;
    QTest::newRow("NVIDIA") << "NVIDIA GeForce RTX 3060/PCIe/SSE2" << false;
    QTest::newRow("none") << "" << false;
}

void RendererTest::knowsProcessors() {
    QFETCH(QString, name);
    QTEST(isProcessor(name), "processor");
}

void RendererTest::leavesTheUsersChoice() {
    qputenv("QT_QUICK_BACKEND", "software");
    const Drawing drawing = chooseRenderer();
    QVERIFY(drawing.line.contains(QLatin1String("QT_QUICK_BACKEND")));
    QVERIFY(drawing.by == DrawnBy::Qt);
}

QTEST_MAIN(RendererTest)
#include "renderer_test.moc"
