#include "renderer.h"

#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QQuickWindow>
#include <algorithm>

#include "display.h"

namespace hearth::ui {

bool isProcessor(const QString& glRenderer) {
    constexpr const char* kNames[] = {"llvmpipe", "softpipe", "swrast", "software rasterizer",
                                      "swiftshader"};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
        return glRenderer.contains(QLatin1String(name), Qt::CaseInsensitive);
    });
}

QString chooseRenderer() {
    if (const QString variable = rendererVariable(); !variable.isEmpty()) {
        return QStringLiteral("drawn as %1 says").arg(variable);
    }
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    QString renderer = QStringLiteral("no OpenGL");
    bool slow = true;
    QOffscreenSurface surface;
    QOpenGLContext context;
    surface.create();
    if (context.create() && context.makeCurrent(&surface)) {
        // OpenGL's numbers are its interface; its headers are not everywhere.
        constexpr GLenum kRenderer = 0x1F01;
        const auto* name = context.functions()->glGetString(kRenderer);
        renderer = QString::fromLatin1(reinterpret_cast<const char*>(name));
        slow = isProcessor(renderer);
        context.doneCurrent();
    }
    if (slow) {
        QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
    }
    return (slow ? QStringLiteral("drawn by Qt on the processor: %1")
                 : QStringLiteral("drawn by OpenGL: %1"))
        .arg(renderer);
#else
    return QStringLiteral("drawn by the system's own interface");
#endif
}

}  // namespace hearth::ui
