// A real X server without a screen, for as long as the object lives.
#pragma once

#include <QProcess>
#include <QString>

namespace hearth::ui::test {

class VirtualDisplay {
public:
    ~VirtualDisplay();

    // Starts Xvfb on a display number that is free. False: reason() says why.
    bool start(int width, int height);
    const QString& reason() const { return reason_; }
    // ":7"
    const QByteArray& name() const { return name_; }

private:
    QProcess server_;
    QByteArray name_;
    QString reason_;
};

}  // namespace hearth::ui::test
