import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// Chooses a file, or a folder where `suffixes` is empty ("*": any file). Everything works from the keyboard: arrows
// and letters choose a row, Enter opens it, Backspace goes to the folder above.
AppDialog {
    id: picker

    property alias suffixes: files.suffixes
    property string action: qsTr("Open")
    readonly property bool forFolders: suffixes.length === 0

    signal chosen(string path)

    // near: a path; its folder is shown.
    function ask(near: string): void {
        files.folder = files.folderNear(near)
        open()
    }

    // True while the field holds a path that somebody typed.
    readonly property bool typed: field.text !== files.folderText

    // A typed path goes before the marked row, because a row is marked from the start.
    function accept(): void {
        if (typed) {
            goTyped()
        } else if (forFolders) {
            done(files.folder)
        } else {
            go(list.currentIndex)
        }
    }

    function go(row: int): void {
        if (files.isFolderAt(row)) {
            files.folder = files.pathAt(row)
            list.forceActiveFocus(Qt.OtherFocusReason)
        } else if (row >= 0) {
            done(files.pathAt(row))
        }
    }

    // Enter in the list.
    function openRow(row: int): void {
        if (typed) {
            goTyped()
        } else {
            go(row)
        }
    }

    function goTyped(): void {
        const path = files.take(field.text)
        if (path !== "") {
            done(path)
        }
    }

    function done(path: string): void {
        close()
        chosen(path)
    }

    width: Math.min(680, (parent ? parent.width : 680) - 2 * Theme.large)
    first: list

    FolderView {
        id: files

        onListed: {
            list.currentIndex = rowToChoose()
            list.positionViewAtIndex(Math.max(0, list.currentIndex), ListView.Center)
        }
        onFolderChanged: field.text = folderText
    }

    Item {
        width: parent.width
        implicitHeight: Math.max(up.implicitHeight, field.implicitHeight)

        IconButton {
            id: up

            objectName: "folderUp"
            anchors.verticalCenter: parent.verticalCenter
            side: 34
            iconName: "up"
            text: qsTr("To the folder above")
            hint: qsTr("Backspace")
            enabled: files.hasParent
            onClicked: files.up()
        }

        Basic.TextField {
            id: field

            objectName: "pathField"
            anchors.left: up.right
            anchors.right: parent.right
            anchors.leftMargin: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            padding: Theme.small
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            selectByMouse: true
            maximumLength: 4096

            Accessible.role: Accessible.EditableText
            Accessible.name: qsTr("Path")

            background: Rectangle {
                radius: Theme.radius
                color: Theme.surface
                border.width: field.activeFocus ? 2 : 1
                border.color: field.activeFocus ? Theme.focus : Theme.controlBorder
            }

            onAccepted: picker.goTyped()
        }
    }

    Flow {
        width: parent.width
        spacing: Theme.tiny

        Repeater {
            model: files.places

            delegate: AppButton {
                required property var modelData

                objectName: "place"
                kind: "quiet"
                text: modelData.name
                width: Math.min(implicitWidth, 200)
                onClicked: files.folder = modelData.path
            }
        }
    }

    Rectangle {
        width: parent.width
        height: Math.max(120, Math.min(380, (picker.parent ? picker.parent.height : 640) - 300,
            Math.max(220, list.contentHeight + 2 * Theme.tiny)))
        radius: Theme.radius + 2
        color: Theme.surface
        border.width: list.activeFocus ? 2 : 1
        border.color: list.activeFocus ? Theme.focus : Theme.border

        ListView {
            id: list

            objectName: "fileList"
            anchors.fill: parent
            anchors.margins: Theme.tiny
            clip: true
            model: files
            boundsBehavior: Flickable.StopAtBounds
            activeFocusOnTab: true
            keyNavigationEnabled: true
            highlightMoveDuration: 0
            Basic.ScrollBar.vertical: AppScrollBar { }

            Accessible.role: Accessible.List
            Accessible.name: picker.forFolders ? qsTr("Folders")
                : picker.suffixes[0] === "gguf" ? qsTr("Folders and models") : qsTr("Folders and files")
            Accessible.focusable: true

            // A row that somebody marked is meant in place of what was typed before.
            onCurrentIndexChanged: {
                if (activeFocus) {
                    field.text = files.folderText
                }
            }

            Keys.onReturnPressed: event => {
                if (!event.isAutoRepeat) {
                    picker.openRow(currentIndex)
                }
            }
            Keys.onEnterPressed: event => {
                if (!event.isAutoRepeat) {
                    picker.openRow(currentIndex)
                }
            }
            Keys.onPressed: event => {
                if (event.key === Qt.Key_Backspace) {
                    event.accepted = true
                    files.up()
                } else if (event.key === Qt.Key_Home) {
                    event.accepted = true
                    currentIndex = 0
                } else if (event.key === Qt.Key_End) {
                    event.accepted = true
                    currentIndex = count - 1
                } else if (event.matches(StandardKey.Paste) || /^[\/~\\]$/.test(event.text)) {
                    // A path begins, and not the name of a row.
                    event.accepted = true
                    field.text = event.matches(StandardKey.Paste) ? "" : event.text
                    field.forceActiveFocus(Qt.ShortcutFocusReason)
                    field.cursorPosition = field.length
                    if (event.matches(StandardKey.Paste)) {
                        field.paste()
                    }
                } else if (/^[^\s\u0000-\u001f\u007f]$/.test(event.text)
                           && !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier))) {
                    event.accepted = true
                    const row = files.find(event.text, currentIndex)
                    currentIndex = row < 0 ? currentIndex : row
                }
            }

            delegate: Rectangle {
                id: row

                required property int index
                required property string name
                required property string path
                required property bool isFolder
                required property string detail
                readonly property bool current: ListView.isCurrentItem

                objectName: "fileRow"
                width: ListView.view.width
                height: Math.max(Theme.control, label.implicitHeight + Theme.small)
                radius: Theme.radius - 2
                color: current ? Theme.selected : hover.hovered ? Theme.hover : "transparent"

                Accessible.role: Accessible.ListItem
                Accessible.name: isFolder ? qsTr("%1, a folder").arg(name)
                                          : qsTr("%1, %2").arg(name).arg(detail)
                Accessible.selectable: true
                Accessible.selected: current
                Accessible.focusable: true
                Accessible.focused: current && ListView.view.activeFocus
                Accessible.onPressAction: picker.go(index)

                HoverHandler {
                    id: hover
                }

                TapHandler {
                    onTapped: {
                        row.ListView.view.currentIndex = row.index
                        row.ListView.view.forceActiveFocus(Qt.MouseFocusReason)
                        field.text = files.folderText
                    }
                    onDoubleTapped: picker.go(row.index)
                }

                Icon {
                    id: sign

                    anchors.left: parent.left
                    anchors.leftMargin: Theme.small
                    anchors.verticalCenter: parent.verticalCenter
                    name: row.isFolder ? "folder" : "model"
                    size: 17
                    color: row.isFolder ? Theme.textMuted : Theme.accentText
                }

                Text {
                    id: label

                    anchors.left: sign.right
                    anchors.right: facts.visible ? facts.left : parent.right
                    anchors.leftMargin: Theme.small
                    anchors.rightMargin: Theme.small
                    anchors.verticalCenter: parent.verticalCenter
                    text: row.name
                    textFormat: Text.PlainText
                    elide: Text.ElideMiddle
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontSmall
                    color: Theme.text
                    Accessible.ignored: true
                }

                Text {
                    id: facts

                    anchors.right: parent.right
                    anchors.rightMargin: Theme.medium
                    anchors.verticalCenter: parent.verticalCenter
                    visible: row.width > 420 * Theme.zoom
                    text: row.detail
                    textFormat: Text.PlainText
                    font.family: Theme.sans
                    font.pixelSize: Theme.fontTiny
                    color: Theme.textMuted
                    Accessible.ignored: true
                }
            }
        }

        Text {
            objectName: "folderNotice"
            anchors.centerIn: parent
            width: parent.width - 2 * Theme.large
            visible: list.count === 0 && !files.busy && text !== ""
            text: files.notice
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            horizontalAlignment: Text.AlignHCenter
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.textMuted

            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
    }

    Text {
        width: parent.width
        visible: list.count > 0 && files.notice !== ""
        text: files.notice
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted

        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }

    Flow {
        width: parent.width
        layoutDirection: Qt.RightToLeft
        spacing: Theme.small

        AppButton {
            objectName: "pickFile"
            kind: "primary"
            text: picker.action
            enabled: picker.typed || picker.forFolders || list.currentIndex >= 0
            onClicked: picker.accept()
        }

        AppButton {
            objectName: "cancelPick"
            text: qsTr("Cancel")
            onClicked: picker.close()
        }
    }
}
