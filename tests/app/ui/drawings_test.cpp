// Drawings in answers, as a reader meets them: drawn, as their source, and those that fail.
#include <QClipboard>
#include <QGuiApplication>
#include <QTest>

#include "picture.h"
#include "ui_window.h"

using hearth::ui::DrawingDesk;
using hearth::ui::FakeInference;
using hearth::ui::test::UiWindow;

namespace {

QVariant valueOf(const QQuickItem* item, const char* name) {
    return item == nullptr ? QVariant() : item->property(name);
}

QString fenced(const QString& code) {
    return QStringLiteral("```svg\n%1\n```\n").arg(code);
}

const QString kHouse = QStringLiteral(
    "<svg width=\"200\" height=\"100\"><title>A house</title>\n"
    "<rect width=\"100\" height=\"100\" fill=\"#ff0000\"/></svg>");

}  // namespace

class DrawingsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { ui_.reset(); }
    void drawsOnLightPaper_data();
    void drawsOnLightPaper();
    void showsAndCopiesTheSource();
    void isSourceWhileItIsWritten();
    void staysSourceInAQuestion();
    void fitsTheMessage();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void saysThatPartsAreMissing();
    void drawsBehindACrash();
    void drawsNothingOutOfView();
    void isTurnedRound();

private:
    bool answer(const QString& text) {
        ui_->inference().setScripts({FakeInference::scriptFrom(text)});
        return ui_->ask(QStringLiteral("Draw a house."));
    }
    QQuickItem* drawing() const { return ui_->item(QStringLiteral("drawing")); }
    bool waitForDrawing() const {
        return QTest::qWaitFor([this] { return valueOf(drawing(), "drawn").toBool(); }, 60'000);
    }
    QString note() const {
        return valueOf(ui_->item(QStringLiteral("drawingNote")), "text").toString();
    }

    std::unique_ptr<UiWindow> ui_;
};

void DrawingsTest::init() {
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
}

void DrawingsTest::drawsOnLightPaper_data() {
    QTest::addColumn<QString>("theme");
    QTest::addRow("light") << QStringLiteral("light");
    QTest::addRow("dark") << QStringLiteral("dark");
}

void DrawingsTest::drawsOnLightPaper() {
    QFETCH(QString, theme);
    ui_->app().appearance()->setThemeMode(theme);
    QVERIFY(answer(QStringLiteral("Here:\n\n") + fenced(kHouse)));
    QVERIFY(waitForDrawing());
    QCOMPARE(drawing()->width(), 200);
    QCOMPARE(drawing()->height(), 100);
    QCOMPARE(UiWindow::accessibleName(drawing()), QStringLiteral("A house"));
    QVERIFY(ui_->item(QStringLiteral("codeText")) == nullptr);
    QCOMPARE(note(), QString());
    ui_->settle();
    const QImage seen = ui_->window()->grabWindow();
    const qreal ratio = seen.devicePixelRatio();
    const QRectF area = UiWindow::area(drawing());
    const auto colour = [&](qreal x) {
        return seen.pixelColor(((area.topLeft() + QPointF(x, 50)) * ratio).toPoint());
    };
    QCOMPARE(colour(50), QColor(255, 0, 0));
    QCOMPARE(colour(150), QColor(255, 255, 255));
}

void DrawingsTest::showsAndCopiesTheSource() {
    QVERIFY(answer(fenced(kHouse) + QStringLiteral("\nand the same:\n\n") + fenced(kHouse)));
    QTRY_COMPARE_WITH_TIMEOUT(ui_->items(QStringLiteral("drawing")).size(), 2, 60'000);
    QVERIFY(waitForDrawing());
    ui_->click(ui_->item(QStringLiteral("copyCode")));
    QCOMPARE(QGuiApplication::clipboard()->text(), kHouse);
    QQuickItem* button = ui_->item(QStringLiteral("drawingSwitch"));
    QCOMPARE(UiWindow::accessibleName(button), QStringLiteral("Show the source"));
    ui_->click(button);
    QCOMPARE(UiWindow::accessibleName(button), QStringLiteral("Show the drawing"));
    QCOMPARE(ui_->items(QStringLiteral("drawing")).size(), 1);
    QCOMPARE(valueOf(ui_->item(QStringLiteral("codeText")), "text").toString(), kHouse);
    QGuiApplication::clipboard()->clear();
    ui_->click(ui_->item(QStringLiteral("copyCode")));
    QCOMPARE(QGuiApplication::clipboard()->text(), kHouse);
    // It stays so when the chat is shown anew, and is drawn when the reader says so.
    const auto chat = ui_->app().chats()->currentId();
    ui_->app().chats()->newConversation();
    ui_->settle();
    ui_->app().chats()->select(chat);
    QTRY_VERIFY(ui_->item(QStringLiteral("drawingSwitch")) != nullptr);
    QVERIFY(drawing() == nullptr);
    ui_->click(ui_->item(QStringLiteral("drawingSwitch")));
    QVERIFY(waitForDrawing());
}

void DrawingsTest::isSourceWhileItIsWritten() {
    ui_->inference().setScripts({FakeInference::Script{
        {QStringLiteral("```svg\n"), QStringLiteral("<svg width=\"9\" height=\"9\">\n"),
         QStringLiteral("</svg>\n"), QStringLiteral("```\n"), QStringLiteral("Done.")},
        {},
        {}}});
    ui_->inference().pauseAfter(3);
    ui_->type(QStringLiteral("Draw."));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(ui_->item(QStringLiteral("codeText")) != nullptr);
    QTRY_VERIFY(valueOf(ui_->item(QStringLiteral("codeText")), "text")
                    .toString()
                    .endsWith(QLatin1String("</svg>")));
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("drawingSwitch")) == nullptr);
    QVERIFY(drawing() == nullptr);
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QVERIFY(waitForDrawing());
    QCOMPARE(UiWindow::accessibleName(drawing()), QStringLiteral("Drawing"));
}

void DrawingsTest::staysSourceInAQuestion() {
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral("A house."))});
    QVERIFY(ui_->app().replies()->canSend());
    QVERIFY(ui_->ask(
        fenced(kHouse).simplified().replace(QLatin1String("svg <"), QLatin1String("svg\n<"))));
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("drawingSwitch")) == nullptr);
}

void DrawingsTest::fitsTheMessage() {
    QVERIFY(answer(fenced(QStringLiteral(
        "<svg width=\"4000\" height=\"1000\"><rect width=\"9\" height=\"9\"/></svg>"))));
    QVERIFY(waitForDrawing());
    const qreal before = drawing()->width();
    const QRectF answer = UiWindow::area(ui_->item(QStringLiteral("answer")));
    QVERIFY(answer.contains(UiWindow::area(ui_->item(QStringLiteral("drawingPaper")))));
    QVERIFY(before > answer.width() * 0.9);
    QVERIFY(qAbs(drawing()->height() - before / 4) <= 1);
    ui_->window()->resize(500, 760);
    QTRY_VERIFY(drawing() != nullptr && drawing()->width() < before);
    QVERIFY(qAbs(drawing()->height() - drawing()->width() / 4) <= 1);
    QVERIFY(valueOf(drawing(), "drawn").toBool());
}

void DrawingsTest::saysWhatIsWrong_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("note");
    QTest::addRow("not ended") << QStringLiteral("<svg><g></svg>")
                               << "This drawing cannot be shown: its source is not complete SVG.";
    QTest::addRow("empty") << QStringLiteral("<svg></svg>")
                           << "This drawing cannot be shown: it is empty.";
    QTest::addRow("too long") << QStringLiteral("<svg>\n%1</svg>")
                                     .arg(QStringLiteral("<path d='M0 0'/>\n").repeated(5000))
                              << "This drawing cannot be shown: its source is too long.";
}

void DrawingsTest::saysWhatIsWrong() {
    QFETCH(QString, code);
    QFETCH(QString, note);
    // At once: in small pieces a long one takes its time.
    ui_->inference().setScripts({FakeInference::Script{{fenced(code)}, {}, {}}});
    QVERIFY(ui_->ask(QStringLiteral("Draw a house.")));
    ui_->press(Qt::Key_Backtab, Qt::ShiftModifier);
    ui_->press(Qt::Key_Home);  // a long source ends far below
    QTRY_COMPARE_WITH_TIMEOUT(this->note(), note, 60'000);
    QQuickItem* said = ui_->item(QStringLiteral("drawingNote"));
    QCOMPARE(UiWindow::accessibleName(said), note);
    QVERIFY(drawing() == nullptr);
    QQuickItem* source = ui_->item(QStringLiteral("codeText"));
    QVERIFY(code.startsWith(valueOf(source, "text").toString()));
    QVERIFY(UiWindow::area(said).bottom() <= UiWindow::area(source).top());
}

void DrawingsTest::saysThatPartsAreMissing() {
    QVERIFY(answer(fenced(QStringLiteral(
        "<svg width='9' height='9'><image href='/etc/passwd' width='9' height='9'/></svg>"))));
    QVERIFY(waitForDrawing());
    QCOMPARE(note(), QStringLiteral("Parts of this drawing cannot be shown."));
}

void DrawingsTest::drawsBehindACrash() {
    ui_->app().drawings()->setProgram(QStringLiteral(HEARTH_FAILING_CHILD));
    const QString crash = QStringLiteral("<svg width=\"9\" height=\"9\"><!--crash--></svg>");
    QVERIFY(answer(fenced(crash)));
    QTRY_COMPARE_WITH_TIMEOUT(
        note(), QStringLiteral("This drawing cannot be shown: it takes too much time or memory."),
        60'000);
    ui_->app().drawings()->setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));
    ui_->app().chats()->newConversation();
    QVERIFY(answer(fenced(kHouse)));
    QVERIFY(waitForDrawing());
    // The one that failed is tried again when the reader says so.
    ui_->app().chats()->newConversation();
    QVERIFY(answer(fenced(crash)));
    QTRY_VERIFY_WITH_TIMEOUT(!note().isEmpty(), 60'000);
    ui_->click(ui_->item(QStringLiteral("drawingSwitch")));
    QVERIFY(waitForDrawing());
    QCOMPARE(note(), QString());
}

// One stands a long way above the other, at the end of an answer that was written unseen.
void DrawingsTest::drawsNothingOutOfView() {
    const QString above = QStringLiteral("<svg width=\"30\" height=\"9\"><g/></svg>");
    QString text = fenced(above) + QLatin1Char('\n');
    for (int i = 0; i < 200; ++i) {
        text += QStringLiteral("Line %1 of a long answer.\n\n").arg(i);
    }
    ui_->inference().setScripts({FakeInference::scriptFrom(text + fenced(kHouse))});
    ui_->inference().pauseAfter(1);
    QVERIFY(ui_->app().replies()->send(QStringLiteral("Draw.")));
    const auto chat = ui_->app().chats()->currentId();
    ui_->app().chats()->newConversation();
    ui_->settle();
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    ui_->app().chats()->select(chat);
    QVERIFY(waitForDrawing());
    const DrawingDesk* desk = ui_->app().drawings();
    const hearth::ui::DrawingPlace place = {700, 1, ui_->window()->effectiveDevicePixelRatio()};
    QVERIFY(desk->known(kHouse, place));
    QCOMPARE(desk->waiting(), 0);
    QVERIFY(!desk->known(above, place));
    // It is drawn when the reader comes to it.
    ui_->press(Qt::Key_Backtab, Qt::ShiftModifier);
    ui_->press(Qt::Key_Home);
    QTRY_VERIFY_WITH_TIMEOUT(desk->known(above, place), 60'000);
}

void DrawingsTest::isTurnedRound() {
    ui_.reset();
    ui_ =
        std::make_unique<UiWindow>(QString(), UiWindow::Size::Usual, QStringLiteral("pseudo-rtl"));
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
    QVERIFY(answer(fenced(kHouse)));
    QVERIFY(waitForDrawing());
    const QRectF paper = UiWindow::area(ui_->item(QStringLiteral("drawingPaper")));
    const QRectF whole = UiWindow::area(ui_->item(QStringLiteral("answer")));
    QVERIFY(qAbs(paper.center().x() - whole.center().x()) <= 1);
    // The buttons stand on the left, copying outermost, and the picture is as it was drawn.
    const QRectF copy = UiWindow::area(ui_->item(QStringLiteral("copyCode")));
    QVERIFY(copy.right() <= UiWindow::area(ui_->item(QStringLiteral("drawingSwitch"))).left());
    QVERIFY(copy.right() < whole.center().x());
    ui_->settle();
    const QImage seen = ui_->window()->grabWindow();
    const QPointF at = UiWindow::area(drawing()).topLeft() + QPointF(50, 50);
    QCOMPARE(seen.pixelColor((at * seen.devicePixelRatio()).toPoint()), QColor(255, 0, 0));
}

QTEST_MAIN(DrawingsTest)
#include "drawings_test.moc"
