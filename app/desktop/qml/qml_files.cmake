# The QML files of hearth_ui, relative to app/desktop, which includes this file before qt_add_qml_module(). theme/ comes
# first: everything else takes its colours and distances from there.
set(HEARTH_QML_FILES
    qml/theme/Theme.qml
    qml/theme/Icons.qml
    qml/components/AppButton.qml
    qml/components/AppDialog.qml
    qml/components/AppMenu.qml
    qml/components/AppMenuItem.qml
    qml/components/AppMenuLine.qml
    qml/components/AppScrollBar.qml
    qml/components/AppSlider.qml
    qml/components/AppSwitch.qml
    qml/components/AppTextField.qml
    qml/components/AppToolTip.qml
    qml/components/Banner.qml
    qml/components/FadeIn.qml
    qml/components/FilePicker.qml
    qml/components/FocusRing.qml
    qml/components/FollowFocus.qml
    qml/components/Icon.qml
    qml/components/IconButton.qml
    qml/components/Logo.qml
    qml/components/Shadow.qml
    qml/chat/AttachedFile.qml
    qml/chat/AttachedText.qml
    qml/chat/BlockCode.qml
    qml/chat/BlockDelegate.qml
    qml/chat/BlockText.qml
    qml/chat/ChatMenu.qml
    qml/chat/ChatView.qml
    qml/chat/Composer.qml
    qml/chat/ConversationDelegate.qml
    qml/chat/ConversationSidebar.qml
    qml/chat/DocumentDialog.qml
    qml/chat/EmberCaret.qml
    qml/chat/EmptyState.qml
    qml/chat/InstructionsDialog.qml
    qml/chat/LinkDialog.qml
    qml/chat/LinkLine.qml
    qml/chat/MessageActions.qml
    qml/chat/MessageDelegate.qml
    qml/chat/MessageEditor.qml
    qml/chat/MessageMenu.qml
    qml/chat/ThoughtFold.qml
    qml/chat/LongTextDialog.qml
    qml/chat/MessageStatus.qml
    qml/chat/ModelPill.qml
    qml/chat/ModelStrip.qml
    qml/chat/ReadingMark.qml
    qml/chat/ReasoningPill.qml
    qml/chat/SearchHitDelegate.qml
    qml/chat/SearchHits.qml
    qml/chat/TitleBar.qml
    qml/chat/ToolCalls.qml
    qml/chat/MoveMenu.qml
    qml/chat/ProjectDialog.qml
    qml/chat/ProjectMenu.qml
    qml/chat/ProjectRemoval.qml
    qml/chat/ToolQuestion.qml
    qml/chat/ToolsPill.qml
    qml/chat/UsedPassages.qml
    qml/downloads/DownloadDelegate.qml
    qml/downloads/DownloadsDialog.qml
    qml/downloads/NetworkDialog.qml
    qml/downloads/ProgressLine.qml
    qml/downloads/RequestList.qml
    qml/downloads/TokenLine.qml
    qml/library/HubFileDelegate.qml
    qml/library/HubModelDelegate.qml
    qml/library/HubSearchView.qml
    qml/library/ModelDelegate.qml
    qml/library/ModelFolders.qml
    qml/library/ModelsDialog.qml
    qml/library/OfferDelegate.qml
    qml/library/OfferForecast.qml
    qml/library/OffersDialog.qml
    qml/library/PackingCard.qml
    qml/library/PackingDialog.qml
    qml/library/PackingProgress.qml
    qml/map/NeuronMapPanel.qml
    qml/remote/RemoteDialog.qml
    qml/remote/RemoteServerCard.qml
    qml/remote/RemoteServerForm.qml
    qml/remote/SendQuestion.qml
    qml/settings/AboutDialog.qml
    qml/settings/AboutText.qml
    qml/settings/AmountRow.qml
    qml/settings/ChoiceRow.qml
    qml/settings/CrashDialog.qml
    qml/settings/ForecastCard.qml
    qml/settings/SettingRow.qml
    qml/settings/SettingsMenu.qml
    qml/settings/SettingsView.qml
    qml/settings/ShortcutsDialog.qml
    qml/settings/TextRow.qml
    qml/tools/AddToolServer.qml
    qml/tools/ToolLogList.qml
    qml/tools/ToolServerDelegate.qml
    qml/tools/ToolsDialog.qml
    qml/Dialogs.qml
    qml/Main.qml
    qml/Shortcuts.qml)
# In the program as :/qt/qml/Hearth/icons/hearth-256.png, drawn from hearth.svg beside it.
set(HEARTH_QML_RESOURCES ${CMAKE_CURRENT_LIST_DIR}/../../../resources/icons/hearth-256.png
    ${CMAKE_CURRENT_LIST_DIR}/../../../resources/catalog.json
    ${CMAKE_CURRENT_LIST_DIR}/../../../third_party/licences.md)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/../../../resources/icons/hearth-256.png
    PROPERTIES QT_RESOURCE_ALIAS icons/hearth-256.png)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/../../../resources/catalog.json
    PROPERTIES QT_RESOURCE_ALIAS catalog.json)
# The text that "About" shows where the program is not installed.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/../../../third_party/licences.md
    PROPERTIES QT_RESOURCE_ALIAS licences.md)

set_source_files_properties(qml/theme/Theme.qml qml/theme/Icons.qml PROPERTIES
    QT_QML_SINGLETON_TYPE TRUE)
