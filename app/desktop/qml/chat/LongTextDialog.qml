import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A long text in full. Only the parts in view are laid out.
AppDialog {
    id: dialog

    required property var app
    property string text

    function show(what: string, size: string): void {
        text = what
        title = size
        list.model = app.chats.messages.parts(what)
        list.positionViewAtBeginning()
        open()
    }

    width: Math.min(900, (parent ? parent.width : 900) - 2 * Theme.large)
    first: list
    onClosed: {
        list.model = []
        text = ""
    }

    Rectangle {
        width: parent.width
        height: Math.max(120, Math.min(640, (dialog.parent ? dialog.parent.height : 640) - 190))
        radius: Theme.radius + 2
        color: Theme.code
        border.width: list.activeFocus ? 2 : 1
        border.color: list.activeFocus ? Theme.focus : Theme.border

        ListView {
            id: list

            objectName: "longText"
            anchors.fill: parent
            anchors.margins: Theme.medium
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: false
            currentIndex: -1  // the list itself has the keyboard
            activeFocusOnTab: true
            Basic.ScrollBar.vertical: AppScrollBar { }

            Accessible.role: Accessible.List
            Accessible.name: dialog.title
            Accessible.focusable: true

            function scrollBy(pages: real): void {
                const most = Math.max(originY, originY + contentHeight - height)
                contentY = Math.max(originY, Math.min(most, contentY + pages * height))
            }

            // A jump over parts that were not laid out yet goes by an estimate of their heights, and
            // ends at the beginning. A second one, once they are, ends at the end.
            function showEnd(): void {
                positionViewAtEnd()
                Qt.callLater(positionViewAtEnd)  // qmllint disable
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
                    showEnd()
                }
            }

            delegate: Text {
                required property string modelData

                width: ListView.view.width - Theme.large
                text: modelData
                textFormat: Text.PlainText
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                font.family: Theme.mono
                font.pixelSize: Theme.fontCode
                color: Theme.text
                Accessible.role: Accessible.Paragraph
                Accessible.name: text
            }
        }
    }

    AppButton {
        objectName: "copyLongText"
        anchors.right: parent.right
        iconName: "copy"
        text: qsTr("Copy all of it")
        onClicked: {
            dialog.app.copyText(dialog.text)
            dialog.close()
        }
    }
}
