// The pages of the window, each as a test brings it up. A new page gets a row here, and with it
// every check of pages_test.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui::test {

class UiWindow;

struct Page {
    const char* name;
    // Shows it, in a window that has just started. QVERIFY and its like say what went wrong.
    void (*open)(UiWindow& ui);
};

const QList<Page>& pages();

// Shows the downloads of the demonstration in place of what the queue has. Nothing downloads any
// more.
void showDownloads(UiWindow& ui);

}  // namespace hearth::ui::test
