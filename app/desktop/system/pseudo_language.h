// A language that no one speaks, for tests and for developers: English with marks on its letters, a
// third longer and between brackets. Text without them went past the translators.
#pragma once

#include <QString>
#include <QTranslator>

namespace hearth::ui {

// "Settings" is "⟦Šéttîñĝš~~⟧". Placeholders (%1, %n, %L1), tags and line breaks stay as they are.
QString pseudoText(const QString& english);

class PseudoTranslator : public QTranslator {
    Q_OBJECT

public:
    // rightToLeft: the whole window is laid out from right to left.
    explicit PseudoTranslator(bool rightToLeft, QObject* parent = nullptr);
    ~PseudoTranslator() override;

    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation,
                      int n) const override;

private:
    const bool rightToLeft_;
    QTranslator english_;  // the forms for one and for several
};

}  // namespace hearth::ui
