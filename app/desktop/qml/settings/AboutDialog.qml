import QtQuick
import Hearth

AppDialog {
    id: dialog

    required property var app

    signal licencesAsked()

    title: qsTr("Hearth %1").arg(app.version)

    AboutText {
        width: parent.width
        app: dialog.app
        onLicencesAsked: dialog.licencesAsked()
    }
}
