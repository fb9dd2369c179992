import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// One download: its name, its progress, the reason why it stands still, and its buttons.
FocusScope {
    id: row

    required property Downloads downloads
    required property int index
    required property var downloadId
    required property string title
    required property string licence
    required property string line
    required property string problem
    required property real progress
    required property string tone
    required property bool canPause
    required property bool canResume
    required property string resumeText
    required property bool canCancel
    required property bool canUndo
    required property bool canRemove
    required property string modelPath

    signal used(string path)

    readonly property bool current: ListView.isCurrentItem

    objectName: "downloadRow"
    implicitHeight: card.height + Theme.small

    Accessible.role: Accessible.ListItem
    Accessible.name: problem === "" ? qsTr("%1: %2").arg(title).arg(line)
        : qsTr("%1: %2. %3").arg(title).arg(line).arg(problem)
    Accessible.focusable: true
    Accessible.focused: activeFocus

    // The action of the row's main button.
    function act(): void {
        if (canPause) {
            downloads.pause(downloadId)
        } else if (canResume) {
            downloads.resume(downloadId)
        } else if (canUndo) {
            downloads.undoCancel(downloadId)
        } else if (modelPath !== "") {
            used(modelPath)
        }
    }

    Keys.onPressed: event => {
        if (event.isAutoRepeat) {
            return
        }
        if (event.key === Qt.Key_Space || event.key === Qt.Key_Return
                || event.key === Qt.Key_Enter) {
            event.accepted = true
            act()
        } else if (event.key === Qt.Key_Delete) {
            event.accepted = true
            if (canCancel) {
                downloads.cancel(downloadId)
            } else if (canRemove) {
                downloads.remove(downloadId)
            }
        }
    }

    Rectangle {
        id: card

        width: parent.width
        height: body.implicitHeight + 2 * Theme.medium
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: 1
        border.color: Theme.border

        FocusRing {
            shown: row.activeFocus && row.Window.activeFocusItem === row
            gap: -1  // the list would cut a wider ring
        }

        TapHandler {
            onTapped: row.ListView.view.currentIndex = row.index
        }
    }

    Column {
        id: body

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * x
        spacing: Theme.small

        Item {
            width: parent.width
            implicitHeight: Math.max(titleText.implicitHeight, buttons.implicitHeight)

            Text {
                id: titleText

                anchors.left: parent.left
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - buttons.width - Theme.small
                text: row.title
                textFormat: Text.PlainText
                elide: Text.ElideMiddle
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                font.weight: Font.DemiBold
                color: Theme.text
                Accessible.ignored: true
            }

            Row {
                id: buttons

                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                spacing: Theme.tiny

                IconButton {
                    objectName: "pauseDownload"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.canPause
                    iconName: "pause"
                    text: qsTr("Pause")
                    Accessible.name: qsTr("Pause %1").arg(row.title)
                    onClicked: row.downloads.pause(row.downloadId)
                }
                AppButton {
                    objectName: "resumeDownload"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.canResume
                    kind: "quiet"
                    text: row.resumeText
                    Accessible.name: qsTr("%1: %2").arg(row.resumeText).arg(row.title)
                    onClicked: row.downloads.resume(row.downloadId)
                }
                AppButton {
                    objectName: "undoCancel"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.canUndo
                    kind: "quiet"
                    text: qsTr("Undo")
                    Accessible.name: qsTr("Undo: go on with %1").arg(row.title)
                    onClicked: row.downloads.undoCancel(row.downloadId)
                }
                AppButton {
                    objectName: "useDownload"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.modelPath !== ""
                    text: qsTr("Use")
                    Accessible.name: qsTr("Use %1").arg(row.title)
                    onClicked: row.used(row.modelPath)
                }
                IconButton {
                    objectName: "showFolder"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.tone === "done"
                    iconName: "folder"
                    text: qsTr("Show its folder")
                    Accessible.name: qsTr("Show the folder of %1").arg(row.title)
                    onClicked: row.downloads.showFolder(row.downloadId)
                }
                IconButton {
                    objectName: "cancelDownload"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.canCancel
                    iconName: "close"
                    text: qsTr("Cancel")
                    inkHover: Theme.errorText
                    Accessible.name: qsTr("Cancel %1").arg(row.title)
                    onClicked: row.downloads.cancel(row.downloadId)
                }
                IconButton {
                    objectName: "removeDownload"
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.canRemove
                    iconName: "close"
                    text: qsTr("Take it off the list")
                    Accessible.name: qsTr("Take %1 off the list").arg(row.title)
                    onClicked: row.downloads.remove(row.downloadId)
                }
            }
        }

        ProgressLine {
            width: parent.width
            visible: row.tone !== "done" && !row.canUndo
            value: row.progress
            lively: row.tone === "running"
            what: row.title
        }

        Text {
            width: parent.width
            visible: text !== ""
            text: row.licence === "" || row.tone !== "done" ? row.line
                : qsTr("%1 · licence: %2").arg(row.line).arg(row.licence)
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted
            Accessible.ignored: true
        }

        Text {
            objectName: "downloadProblem"
            width: parent.width
            visible: text !== ""
            text: row.problem
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: row.tone === "failed" ? Theme.errorText : Theme.text
            Accessible.ignored: true
        }
    }
}
