import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// One line to type. `name` is its name for a screen reader.
Basic.TextField {
    id: field

    required property string name
    property string iconName  // before the text
    property bool wrong: false

    implicitHeight: Math.max(Theme.control, contentHeight + 2 * Theme.small)
    readonly property real signRoom: iconName === "" ? 0 : sign.width + Theme.small

    leftPadding: Theme.medium + (Theme.mirrored ? 0 : signRoom)
    rightPadding: Theme.medium + (Theme.mirrored ? signRoom : 0)
    topPadding: 0
    bottomPadding: 0
    verticalAlignment: TextInput.AlignVCenter
    font.family: Theme.sans
    font.pixelSize: Theme.fontSmall
    color: enabled ? Theme.text : Theme.textMuted
    placeholderTextColor: Theme.textMuted
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    selectByMouse: true

    Accessible.role: Accessible.EditableText
    Accessible.name: name

    background: Rectangle {
        radius: Theme.radius
        color: Theme.surface
        border.width: field.activeFocus ? 2 : 1
        border.color: field.activeFocus ? Theme.focus
            : field.wrong ? Theme.errorText : Theme.controlBorder
    }

    Icon {
        id: sign

        anchors.left: parent.left
        anchors.leftMargin: Theme.medium
        anchors.verticalCenter: parent.verticalCenter
        visible: field.iconName !== ""
        name: field.iconName
        size: 16
        color: Theme.textMuted
    }
}
