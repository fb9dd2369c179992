import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A text to type: one line, with a button beside it for a file or a folder, or several lines.
Item {
    id: row

    required property string name
    required property string control  // as SettingListModel's
    required property string value
    required property bool wrong

    signal typed(string text)
    signal chooseAsked()

    readonly property bool several: control === "longText" || control === "folders"
    readonly property bool names: control === "file" || control === "folder"
        || control === "folders"

    implicitHeight: several ? area.height + (names ? Theme.small + choose.height : 0)
        : Math.max(field.height, names ? choose.height : 0)

    AppTextField {
        id: field

        objectName: "settingField"
        visible: !row.several
        x: Theme.at(0, width, row.width)
        name: row.name
        width: Math.min(440, parent.width) - (row.names ? choose.width + Theme.small : 0)
        wrong: row.wrong
        onEditingFinished: {
            if (text !== row.value) {
                row.typed(text)
            }
        }

        Binding {
            target: field
            property: "text"
            value: row.value
            when: !field.activeFocus && !row.wrong
            restoreMode: Binding.RestoreNone
        }
    }

    Basic.TextArea {
        id: area

        objectName: "settingArea"
        visible: row.several
        x: Theme.at(0, width, row.width)
        width: Math.min(560, parent.width)
        height: Math.max(row.control === "folders" ? 60 : 96, contentHeight + 2 * Theme.small)
        padding: Theme.small
        leftPadding: Theme.medium
        rightPadding: Theme.medium
        wrapMode: TextEdit.Wrap
        textFormat: TextEdit.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: enabled ? Theme.text : Theme.textMuted
        selectionColor: Theme.selection
        selectedTextColor: Theme.text
        selectByMouse: true
        Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
        Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
        onTextChanged: {
            if (activeFocus) {
                rest.restart()
            }
        }
        onActiveFocusChanged: {
            if (!activeFocus) {
                keep()
            }
        }

        function keep(): void {
            rest.stop()
            if (row.several && text !== row.value) {
                row.typed(text)
            }
        }

        Accessible.role: Accessible.EditableText
        Accessible.name: row.name
        Accessible.multiLine: true

        background: Rectangle {
            radius: Theme.radius
            color: Theme.surface
            border.width: area.activeFocus ? 2 : 1
            border.color: area.activeFocus ? Theme.focus
                : row.wrong ? Theme.errorText : Theme.controlBorder
        }

        // Kept after a pause, not at each letter. Half a path is useless: paths wait for the end.
        Timer {
            id: rest

            interval: 500
            onTriggered: {
                if (row.control === "longText") {
                    area.keep()
                }
            }
        }

        Binding {
            target: area
            property: "text"
            value: row.value
            when: !area.activeFocus && !row.wrong
            restoreMode: Binding.RestoreNone
        }
    }

    AppButton {
        id: choose

        objectName: "chooseButton"
        visible: row.names
        x: Theme.at(row.several ? 0 : field.width + Theme.small, width, row.width)
        y: row.several ? area.height + Theme.small : 0
        iconName: "folder"
        text: row.control === "folders" ? qsTr("Add a folder…") : qsTr("Choose…")
        Accessible.description: row.name
        onClicked: row.chooseAsked()
    }
}
