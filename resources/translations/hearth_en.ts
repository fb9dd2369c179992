<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>ConversationStore</name>
    <message numerus="yes">
        <source>%n chats could be read and are in a new file.</source>
        <translation>
            <numerusform>One chat could be read and is in a new file.</numerusform>
            <numerusform>%n chats could be read and are in a new file.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Downloads</name>
    <message numerus="yes">
        <source>%n days left</source>
        <translation>
            <numerusform>%n day left</numerusform>
            <numerusform>%n days left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LongText</name>
    <message numerus="yes">
        <source>%1 characters, %Ln lines</source>
        <translation>
            <numerusform>%1 characters in one line</numerusform>
            <numerusform>%1 characters, %Ln lines</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message numerus="yes">
        <source>%n of its %1 parts are missing. Download it again.</source>
        <translation>
            <numerusform>%n of its %1 parts is missing. Download it again.</numerusform>
            <numerusform>%n of its %1 parts are missing. Download it again.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>for %n layers</source>
        <translation>
            <numerusform>for %n layer</numerusform>
            <numerusform>for %n layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ProjectRemoval</name>
    <message numerus="yes">
        <source>Its %n chats can stay, or be deleted too; they can then be brought back for 30 days.</source>
        <translation>
            <numerusform>Its chat can stay, or be deleted too; it can then be brought back for 30 days.</numerusform>
            <numerusform>Its %n chats can stay, or be deleted too; they can then be brought back for 30 days.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete it and keep the chats</source>
        <translation>
            <numerusform>Delete it and keep the chat</numerusform>
            <numerusform>Delete it and keep the chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete it with its chats</source>
        <translation>
            <numerusform>Delete it with its chat</numerusform>
            <numerusform>Delete it with its chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::AppSettings</name>
    <message numerus="yes">
        <source>There are %n more.</source>
        <translation>
            <numerusform>There is one more.</numerusform>
            <numerusform>There are %n more.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ChatExchange</name>
    <message numerus="yes">
        <source>%n chats are exported to %1.</source>
        <translation>
            <numerusform>One chat is exported to %1.</numerusform>
            <numerusform>%n chats are exported to %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chats were imported, the others not.</source>
        <translation>
            <numerusform>One chat was imported, the others not.</numerusform>
            <numerusform>%n chats were imported, the others not.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chats are imported.</source>
        <translation>
            <numerusform>One chat is imported.</numerusform>
            <numerusform>%n chats are imported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more could not be read.</source>
        <translation>
            <numerusform>One more could not be read.</numerusform>
            <numerusform>%n more could not be read.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The texts of %n attached files are missing.</source>
        <translation>
            <numerusform>The text of one attached file is missing.</numerusform>
            <numerusform>The texts of %n attached files are missing.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::Chats</name>
    <message numerus="yes">
        <source>Deleted: %n chats, the latest “%1”</source>
        <translation>
            <numerusform>Deleted: “%1”</numerusform>
            <numerusform>Deleted: %n chats, the latest “%1”</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::Downloads</name>
    <message numerus="yes">
        <source>%n downloads</source>
        <translation>
            <numerusform>%n download</numerusform>
            <numerusform>%n downloads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::EngineStatus</name>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::HubSearch</name>
    <message numerus="yes">
        <source>%n found.</source>
        <translation>
            <numerusform>%n found.</numerusform>
            <numerusform>%n found.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>%n left out: the hub&apos;s data about it make no sense.</numerusform>
            <numerusform>%n left out: the hub&apos;s data about them make no sense.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of its files left out: the hub&apos;s data about them make no sense.</source>
        <translation>
            <numerusform>%n of its files left out: the hub&apos;s data about it make no sense.</numerusform>
            <numerusform>%n of its files left out: the hub&apos;s data about them make no sense.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::MessageListModel</name>
    <message numerus="yes">
        <source>%Ln tokens</source>
        <translation>
            <numerusform>%Ln token</numerusform>
            <numerusform>%Ln tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ModelPacking</name>
    <message numerus="yes">
        <source>about %n minutes</source>
        <translation>
            <numerusform>about a minute</numerusform>
            <numerusform>about %n minutes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ProjectFiles</name>
    <message numerus="yes">
        <source>%n files are searched.</source>
        <translation>
            <numerusform>One file is searched.</numerusform>
            <numerusform>%n files are searched.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::Replies</name>
    <message numerus="yes">
        <source>The first %n messages no longer fit into the model&apos;s context (%1 tokens). The model has not seen them; they are still here.</source>
        <translation>
            <numerusform>The first message no longer fits into the model&apos;s context (%1 tokens). The model has not seen it; it is still here.</numerusform>
            <numerusform>The first %n messages no longer fit into the model&apos;s context (%1 tokens). The model has not seen them; they are still here.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::SettingListModel</name>
    <message numerus="yes">
        <source>Now: %n threads.</source>
        <translation>
            <numerusform>Now: %n thread.</numerusform>
            <numerusform>Now: %n threads.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>hearth::ui::ToolShelf</name>
    <message numerus="yes">
        <source>%1 answered, %n characters</source>
        <translation>
            <numerusform>%1 answered, %n character</numerusform>
            <numerusform>%1 answered, %n characters</numerusform>
        </translation>
    </message>
</context>
</TS>
