#include "system/renderer.h"

#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QQuickWindow>
#include <algorithm>

#include "system/display.h"

namespace hearth::ui {

bool isProcessor(const QString& glRenderer) {
    constexpr const char* kNames[] = {"llvmpipe", "softpipe", "swrast", "software rasterizer",
                                      "swiftshader"};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
        return glRenderer.contains(QLatin1String(name), Qt::CaseInsensitive);
    });
}

namespace {

#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
// The renderer's name as OpenGL gives it. Empty: there is no OpenGL.
QString openGlsName() {
    QOffscreenSurface surface;
    QOpenGLContext context;
    surface.create();
    if (!context.create() || !context.makeCurrent(&surface)) {
        return {};
    }
    // OpenGL's numbers are part of its interface, and its headers are not everywhere.
    constexpr GLenum kRenderer = 0x1F01;
    const auto* name = context.functions()->glGetString(kRenderer);
    QString text = QString::fromLatin1(reinterpret_cast<const char*>(name));
    context.doneCurrent();
    return text;
}
#endif

}  // namespace

Drawing chooseRenderer() {
    const QString variable = rendererVariable();
    Drawing drawing;
    if (!variable.isEmpty()) {
        drawing.line = QStringLiteral("drawn as %1 says").arg(variable);
        if (variable.contains(QLatin1String("=software"))) {
            drawing.by = DrawnBy::Qt;
            return drawing;
        }
    }
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    const QString name = openGlsName();
    const bool slow = name.isEmpty() || isProcessor(name);
    if (!variable.isEmpty()) {
        drawing.by = slow ? DrawnBy::DriverOnProcessor : DrawnBy::Card;
        return drawing;
    }
    if (slow) {
        drawing.by = DrawnBy::Qt;
        QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
    }
    drawing.line = (slow ? QStringLiteral("drawn by Qt on the processor: %1")
                         : QStringLiteral("drawn by OpenGL: %1"))
                       .arg(name.isEmpty() ? QStringLiteral("no OpenGL") : name);
#else
    if (variable.isEmpty()) {
        drawing.line = QStringLiteral("drawn by the system's own interface");
    }
#endif
    return drawing;
}

}  // namespace hearth::ui
