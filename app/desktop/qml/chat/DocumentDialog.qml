import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The text of a document, in passages. The ones that an answer used are marked, and the one that was asked for is in
// view. Only the passages in view are laid out.
AppDialog {
    id: dialog

    required property DocumentPage page

    function takeIn(): void {
        list.model = page.passages
        if (list.count > 0) {
            list.showPassage(page.at)
        }
    }

    title: page.title
    width: Math.min(900, (parent ? parent.width : 900) - 2 * Theme.large)
    first: list
    onClosed: {
        list.model = []
        page.close()
    }

    Connections {
        target: dialog.page

        function onChanged(): void {
            dialog.takeIn()
        }
    }

    Rectangle {
        width: parent.width
        height: Math.max(120, Math.min(640, (dialog.parent ? dialog.parent.height : 640) - 150))
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: list.activeFocus ? 2 : 1
        border.color: list.activeFocus ? Theme.focus : Theme.border

        ListView {
            id: list

            objectName: "documentText"
            anchors.fill: parent
            anchors.margins: Theme.medium
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: false
            highlightFollowsCurrentItem: false  // the view would go back to it
            activeFocusOnTab: true
            Basic.ScrollBar.vertical: AppScrollBar { }

            Accessible.role: Accessible.List
            Accessible.name: qsTr("Text of %1").arg(dialog.title)
            Accessible.focusable: true

            function scrollBy(pages: real): void {
                const most = Math.max(originY, originY + contentHeight - height)
                contentY = Math.max(originY, Math.min(most, contentY + pages * height))
            }

            // A jump over passages that were not laid out yet goes by an estimate of their heights. A second
            // one, once they are, ends at the place.
            function showPassage(index: int): void {
                const place = index > 0 ? ListView.Center : ListView.Beginning
                currentIndex = index
                positionViewAtIndex(index, place)
                Qt.callLater(() => positionViewAtIndex(Math.min(index, count - 1), place))
            }

            Keys.onUpPressed: scrollBy(-0.1)
            Keys.onDownPressed: scrollBy(0.1)
            Keys.onPressed: event => {
                if (event.key === Qt.Key_PageUp || event.key === Qt.Key_PageDown) {
                    event.accepted = true
                    scrollBy(event.key === Qt.Key_PageUp ? -0.9 : 0.9)
                } else if (event.key === Qt.Key_Home) {
                    event.accepted = true
                    positionViewAtBeginning()
                } else if (event.key === Qt.Key_End) {
                    event.accepted = true
                    showPassage(count - 1)
                }
            }

            delegate: Column {
                id: part

                required property int index
                required property string modelData
                readonly property bool marked: dialog.page.isMarked(index)
                readonly property string head: dialog.page.heads[index] ?? ""

                objectName: marked ? "markedPassage" : "passage"
                width: ListView.view.width - Theme.large

                Accessible.role: Accessible.Paragraph
                Accessible.name: (head === "" ? "" : head + ". ")
                    + (marked ? qsTr("Used for the answer: %1").arg(modelData) : modelData)

                Text {
                    visible: part.head !== ""
                    leftPadding: Theme.small
                    topPadding: Theme.medium
                    bottomPadding: Theme.tiny
                    text: part.head
                    textFormat: Text.PlainText
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontTiny
                    font.weight: Font.DemiBold
                    color: Theme.textMuted
                    Accessible.ignored: true
                }

                Rectangle {
                    width: parent.width
                    height: words.implicitHeight + Theme.small
                    radius: Theme.radius - 2
                    color: part.marked ? Theme.selection : "transparent"

                    Text {
                        id: words

                        x: Theme.small
                        y: Theme.tiny
                        width: parent.width - 2 * Theme.small
                        text: part.modelData
                        textFormat: Text.PlainText
                        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        color: Theme.text
                        Accessible.ignored: true
                    }
                }
            }
        }

        Text {
            objectName: "documentSays"
            anchors.centerIn: parent
            width: parent.width - 2 * Theme.large
            visible: text !== ""
            text: dialog.page.says
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            horizontalAlignment: Text.AlignHCenter
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
            Accessible.ignored: text === ""
        }
    }
}
