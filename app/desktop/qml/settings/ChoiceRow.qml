import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A few words, one of which is in force; with notes one below the other, else side by side.
Flow {
    id: choice

    required property string name
    required property var options  // a list of {value, label, note, whyNot}; whyNot: empty, or why it cannot
                                   // be chosen
    required property string value

    signal chosen(string value)

    readonly property bool tall: options.some(option => option.note !== ""
        || option.whyNot)

    spacing: Theme.small
    Accessible.role: Accessible.Grouping
    Accessible.name: name

    Repeater {
        model: choice.options

        delegate: Basic.AbstractButton {
            id: chip

            required property var modelData
            readonly property bool on: modelData.value === choice.value  // qmllint disable
            readonly property string whyNot: modelData.whyNot ?? ""
            readonly property string note: whyNot !== "" ? whyNot : modelData.note

            objectName: "choice-" + modelData.value
            text: modelData.label
            width: choice.tall ? choice.width : implicitWidth
            onClicked: choice.chosen(modelData.value)
            Accessible.name: qsTr("%1: %2").arg(choice.name).arg(text)
            implicitWidth: label.implicitWidth + leftPadding + rightPadding
            implicitHeight: Math.max(Theme.control, column.implicitHeight + 2 * Theme.small)
            leftPadding: Theme.medium
            rightPadding: Theme.medium
            focusPolicy: Qt.StrongFocus
            hoverEnabled: true
            enabled: whyNot === ""
            opacity: enabled || whyNot !== "" ? 1 : 0.6  // the reason must be readable

            Accessible.role: Accessible.RadioButton
            Accessible.description: note
            Accessible.checkable: true
            Accessible.checked: on
            Accessible.onPressAction: chip.clicked()
            Keys.onReturnPressed: event => {
                if (!event.isAutoRepeat) {
                    chip.clicked()
                }
            }

            background: Rectangle {
                radius: Theme.radius
                color: chip.on ? Theme.accentSoft : chip.hovered ? Theme.hover : Theme.surface
                border.width: chip.on ? 2 : 1
                border.color: chip.on ? Theme.accent
                    : chip.hovered ? Theme.controlBorder : Theme.border

                FocusRing {
                    shown: chip.visualFocus
                }
            }

            contentItem: Item {
                Column {
                    id: column

                    anchors.verticalCenter: parent.verticalCenter
                    width: parent.width
                    spacing: 2

                    Text {
                        id: label

                        width: parent.width
                        text: chip.text
                        textFormat: Text.PlainText
                        elide: Text.ElideRight
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontSmall
                        font.weight: Font.Medium
                        color: !chip.enabled ? Theme.textMuted
                            : chip.on ? Theme.accentText : Theme.text
                    }

                    Text {
                        width: parent.width
                        visible: text !== ""
                        text: chip.note
                        textFormat: Text.PlainText
                        wrapMode: Text.Wrap
                        font.family: Theme.sans
                        font.pixelSize: Theme.fontTiny
                        color: chip.on ? Theme.text : Theme.textMuted
                    }
                }
            }
        }
    }
}
