// The window's appearance: its colours and the size of its text.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QObject>
#include <QWindow>

#include "system/system_theme.h"

namespace hearth::ui {

class AppSettings;

class Appearance : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(bool dark READ dark NOTIFY darkChanged)
    // "system", "light", "dark"; kept in the settings
    Q_PROPERTY(QString themeMode READ themeMode WRITE setThemeMode NOTIFY themeModeChanged)
    Q_PROPERTY(double zoom READ zoom NOTIFY zoomChanged)  // 0.8 to 2; kept in the settings
    // True: changes are animated. False where the desktop, or "window/motion" in the settings, asks
    // for less motion.
    Q_PROPERTY(bool motion READ motion NOTIFY motionChanged)
    // True: the processor draws, so nothing may move all the time.
    Q_PROPERTY(bool sparing READ sparing NOTIFY sparingChanged)

public:
    explicit Appearance(AppSettings& settings, QObject* parent = nullptr);

    bool dark() const;
    QString themeMode() const;
    void setThemeMode(const QString& mode);
    double zoom() const { return zoom_; }
    bool motion() const;
    bool sparing() const { return sparing_; }
    void setSparing(bool sparing);
    // Colours the window's title bar where Qt draws it: see colourFrame() in system/own_window.h.
    Q_INVOKABLE void colourFrame(QWindow* window, const QColor& ground, const QColor& text,
                                 const QColor& away);
    // steps: tenths; 0: back to 1
    Q_INVOKABLE void zoomBy(int steps);

signals:
    void darkChanged();
    void themeModeChanged();
    void zoomChanged();
    void motionChanged();
    void sparingChanged();

private:
    AppSettings& settings_;
    SystemTheme systemTheme_;
    double zoom_;
    bool sparing_ = false;
};

}  // namespace hearth::ui
