import QtQuick
import Hearth

// A number with a slider and a field, and a switch if the program can choose it.
Flow {
    id: amount

    required property string name
    required property string value
    required property double number
    required property double least
    required property double most
    required property double step
    required property bool hasAuto
    required property bool isAuto
    required property string autoWord
    required property bool wrong

    signal typed(string text)
    signal moved(double number)

    spacing: Theme.medium
    onNumberChanged: slider.follow()

    AppSwitch {
        id: automatic

        objectName: "automatic"
        visible: amount.hasAuto
        text: qsTr("Automatic")
        Accessible.name: qsTr("%1: automatic").arg(amount.name)
        on: amount.isAuto
        onAsked: on => on ? amount.typed(amount.autoWord) : amount.moved(slider.value)
    }

    AppSlider {
        id: slider

        objectName: "slider"
        name: amount.name
        width: Math.max(140, Math.min(320, amount.width - field.width - amount.spacing
            - (amount.hasAuto ? automatic.implicitWidth + amount.spacing : 0)))
        from: amount.least
        to: amount.most
        stepSize: amount.step
        faint: amount.isAuto
        onMoved: amount.moved(value)
        onPressedChanged: follow()
        onFromChanged: follow()
        onToChanged: follow()
        Component.onCompleted: follow()

        // No binding: a hand moves the slider, and a value beyond its ends would be cut and stay cut.
        function follow(): void {
            if (!pressed) {
                value = amount.number
            }
        }
    }

    AppTextField {
        id: field

        objectName: "typedValue"
        name: qsTr("%1, typed").arg(amount.name)
        width: Math.round(96 * Math.max(1, Theme.zoom))
        wrong: amount.wrong
        onEditingFinished: {
            if (text.trim() !== shown.text) {
                amount.typed(text)
            }
        }

        Binding {
            id: shown

            readonly property string text: amount.isAuto ? amount.autoWord : amount.value

            target: field
            property: "text"
            value: shown.text
            when: !field.activeFocus && !amount.wrong
            restoreMode: Binding.RestoreNone
        }
    }
}
