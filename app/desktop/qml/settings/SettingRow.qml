import QtQuick
import Hearth

// One setting: its name, its effect and cost, its control, and the value in use.
Item {
    id: row

    required property SettingListModel rows
    required property string key
    required property string sectionTitle
    required property string label
    required property string says
    required property string control
    required property string value
    required property double number
    required property double least
    required property double most
    required property double step
    required property bool hasAuto
    required property bool isAuto
    required property string autoWord
    required property var choices
    required property string runs
    required property bool isChanged
    required property bool own
    required property bool usable
    required property string whyNot
    required property string place
    required property string problem
    property bool showSection: false

    signal chooseAsked()

    objectName: "setting-" + key
    implicitHeight: column.implicitHeight + 2 * Theme.large

    component Line: Text {
        width: parent.width
        visible: text !== ""
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        id: column

        y: Theme.large
        width: parent.width
        spacing: Theme.small

        Item {
            width: parent.width
            height: Math.max(title.implicitHeight, resetButton.implicitHeight)

            Text {
                id: title

                anchors.left: parent.left
                anchors.right: resetButton.left
                anchors.rightMargin: Theme.small
                anchors.verticalCenter: parent.verticalCenter
                text: (row.showSection ? row.sectionTitle + " › " : "") + row.label
                    + (row.own ? qsTr(" · only for this model") : "")
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                font.weight: Font.DemiBold
                color: Theme.text

                Accessible.role: Accessible.Heading
                Accessible.name: text
            }

            IconButton {
                id: resetButton

                objectName: "resetSetting"
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                visible: row.isChanged
                iconName: "undo"
                text: qsTr("Reset “%1”").arg(row.label)
                onClicked: row.rows.reset(row.key)
            }
        }

        Line {
            text: row.says
            font.pixelSize: Theme.fontSmall
            lineHeight: 1.2
            color: Theme.textMuted
        }

        Loader {
            width: parent.width
            enabled: row.usable
            sourceComponent: row.control === "choice" ? choiceControl
                : row.control === "amount" ? amountControl
                : row.control === "switch" ? switchControl : textControl
        }

        Line {
            objectName: "whyNot"
            text: row.whyNot
            color: Theme.textMuted
        }

        Line {
            objectName: "runs"
            text: row.runs
            color: Theme.textMuted
        }

        Line {
            objectName: "place"
            text: row.place
            color: Theme.errorText
            Accessible.role: Accessible.AlertMessage
        }

        Line {
            objectName: "problem"
            text: row.problem
            color: Theme.errorText
            Accessible.role: Accessible.AlertMessage
        }
    }

    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }

    Component {
        id: choiceControl

        ChoiceRow {
            name: row.label
            options: row.choices
            value: row.value
            onChosen: value => row.rows.set(row.key, value)
        }
    }

    Component {
        id: amountControl

        AmountRow {
            name: row.label
            value: row.value
            number: row.number
            least: row.least
            most: row.most
            step: row.step
            hasAuto: row.hasAuto
            isAuto: row.isAuto
            autoWord: row.autoWord
            wrong: row.problem !== ""
            onTyped: text => row.rows.set(row.key, text)
            onMoved: number => row.rows.setNumber(row.key, number)
        }
    }

    Component {
        id: switchControl

        AppSwitch {
            objectName: "settingSwitch"
            text: on ? qsTr("On") : qsTr("Off")
            Accessible.name: row.label
            on: row.value === "true"
            onAsked: on => row.rows.set(row.key, on ? "true" : "false")
        }
    }

    Component {
        id: textControl

        TextRow {
            name: row.label
            control: row.control
            value: row.value
            wrong: row.problem !== ""
            onTyped: text => row.rows.set(row.key, text)
            onChooseAsked: row.chooseAsked()
        }
    }
}
