#include "store/migrations.h"

namespace hearth::ui {

const QList<QStringList>& migrations() {
    // parent_id has no ON DELETE: messages go only with their conversation, all in one statement,
    // and a cascade along a chain of thousands would pass SQLite's recursion limit.
    static const QList<QStringList> steps = {
        // 1: conversations, and messages as a tree
        {QStringLiteral("CREATE TABLE conversations ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " title TEXT NOT NULL,"
                        " created_at INTEGER NOT NULL,"  // times: ms since 1970, UTC
                        " updated_at INTEGER NOT NULL,"
                        " deleted_at INTEGER,"
                        " active_leaf INTEGER REFERENCES messages(id) ON DELETE SET NULL"
                        "  DEFERRABLE INITIALLY DEFERRED)"),
         QStringLiteral("CREATE TABLE messages ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " conversation_id INTEGER NOT NULL"
                        "  REFERENCES conversations(id) ON DELETE CASCADE,"
                        " parent_id INTEGER REFERENCES messages(id)"
                        "  DEFERRABLE INITIALLY DEFERRED,"
                        " role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),"
                        " content TEXT NOT NULL,"
                        " state TEXT NOT NULL CHECK (state IN"
                        "  ('complete', 'generating', 'stopped', 'failed', 'interrupted')),"
                        " error_text TEXT NOT NULL DEFAULT '',"
                        " created_at INTEGER NOT NULL)"),
         QStringLiteral("CREATE INDEX messages_by_place ON messages(conversation_id, parent_id)"),
         QStringLiteral("CREATE INDEX messages_by_parent ON messages(parent_id)")},
        // 2: cost of an answer; unsent text
        {QStringLiteral("ALTER TABLE messages ADD COLUMN token_count INTEGER NOT NULL DEFAULT 0"),
         QStringLiteral("ALTER TABLE messages ADD COLUMN first_token_ms REAL NOT NULL DEFAULT 0"),
         QStringLiteral(
             "ALTER TABLE messages ADD COLUMN tokens_per_second REAL NOT NULL DEFAULT 0"),
         // conversation_id 0: the conversation that has no message yet
         QStringLiteral("CREATE TABLE drafts ("
                        " conversation_id INTEGER PRIMARY KEY,"
                        " text TEXT NOT NULL)")},
        // 3: the text that the model gets before the conversation
        {QStringLiteral("ALTER TABLE conversations ADD COLUMN system_prompt TEXT NOT NULL"
                        " DEFAULT ''")},
        // 4: the model of an answer, how it ended, the first message that the model read (no
        // reference: an import may lose it), and conversations that stay at the top
        {QStringLiteral("ALTER TABLE messages ADD COLUMN model TEXT NOT NULL DEFAULT ''"),
         QStringLiteral("ALTER TABLE messages ADD COLUMN is_cut INTEGER NOT NULL DEFAULT 0"),
         QStringLiteral("ALTER TABLE messages ADD COLUMN reads_from INTEGER"),
         QStringLiteral("ALTER TABLE conversations ADD COLUMN is_pinned INTEGER NOT NULL"
                        " DEFAULT 0")},
        // 5: calls of tools within an answer; the folder and the permissions that a chat has
        {QStringLiteral("CREATE TABLE tool_calls ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,"
                        " round INTEGER NOT NULL,"  // calls of one round were made together
                        " place INTEGER NOT NULL,"  // characters of the answer before it
                        " call_id TEXT NOT NULL,"
                        " tool TEXT NOT NULL,"
                        " source TEXT NOT NULL,"
                        " arguments TEXT NOT NULL,"
                        " state TEXT NOT NULL,"
                        " result TEXT NOT NULL DEFAULT '',"
                        " thought TEXT NOT NULL DEFAULT '')"),  // reasoning that followed
         QStringLiteral("CREATE INDEX tool_calls_by_message ON tool_calls(message_id)"),
         QStringLiteral("CREATE TABLE chat_tools ("
                        " conversation_id INTEGER PRIMARY KEY"
                        "  REFERENCES conversations(id) ON DELETE CASCADE,"
                        " folder TEXT NOT NULL)"),
         QStringLiteral("CREATE TABLE chat_permissions ("
                        " conversation_id INTEGER NOT NULL"
                        "  REFERENCES conversations(id) ON DELETE CASCADE,"
                        " permission TEXT NOT NULL,"
                        " PRIMARY KEY (conversation_id, permission)) WITHOUT ROWID")},
        // 6: documents, of a message, or of a draft as in drafts; and the passages of them that
        // went to the model with a question. use: 0 undecided, 1 whole, 2 in passages.
        {QStringLiteral("CREATE TABLE attachments ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " message_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,"
                        " draft_of INTEGER,"
                        " name TEXT NOT NULL,"
                        " kind TEXT NOT NULL,"
                        " hash TEXT NOT NULL,"
                        " bytes INTEGER NOT NULL,"
                        " characters INTEGER NOT NULL,"
                        " cut INTEGER NOT NULL DEFAULT 0,"
                        " tokens INTEGER NOT NULL DEFAULT 0,"
                        " tokens_exact INTEGER NOT NULL DEFAULT 0,"
                        " use INTEGER NOT NULL DEFAULT 0)"),
         QStringLiteral("CREATE INDEX attachments_by_message ON attachments(message_id)"),
         QStringLiteral("CREATE TABLE used_passages ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,"
                        " attachment_id INTEGER NOT NULL"
                        "  REFERENCES attachments(id) ON DELETE CASCADE,"
                        " passage INTEGER NOT NULL,"
                        " page INTEGER NOT NULL DEFAULT 0)"),
         QStringLiteral("CREATE INDEX used_by_message ON used_passages(message_id)"),
         QStringLiteral("CREATE INDEX used_by_attachment ON used_passages(attachment_id)")},
        // 7: projects, their permissions and their files: attached ones, and those of the folder,
        // which have a path there. A file that a project has no longer, and that went with a
        // question, has neither message, draft nor project. used_passages.passage -1: the whole.
        {QStringLiteral("CREATE TABLE projects ("
                        " id INTEGER PRIMARY KEY AUTOINCREMENT,"
                        " name TEXT NOT NULL,"
                        " instructions TEXT NOT NULL DEFAULT '',"
                        " model TEXT NOT NULL DEFAULT '',"
                        " temperature REAL,"
                        " folder TEXT NOT NULL DEFAULT '')"),
         QStringLiteral("ALTER TABLE conversations ADD COLUMN project_id INTEGER"
                        " REFERENCES projects(id) ON DELETE SET NULL"),
         QStringLiteral("CREATE INDEX conversations_by_project ON conversations(project_id)"),
         QStringLiteral("CREATE TABLE project_permissions ("
                        " project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,"
                        " permission TEXT NOT NULL,"
                        " PRIMARY KEY (project_id, permission)) WITHOUT ROWID"),
         QStringLiteral("ALTER TABLE attachments ADD COLUMN project_id INTEGER"
                        " REFERENCES projects(id) ON DELETE SET NULL"),
         QStringLiteral("ALTER TABLE attachments ADD COLUMN path TEXT NOT NULL DEFAULT ''"),
         QStringLiteral(
             "ALTER TABLE attachments ADD COLUMN modified_at INTEGER NOT NULL DEFAULT 0"),
         QStringLiteral("CREATE INDEX attachments_by_project ON attachments(project_id)")},
    };
    return steps;
}

}  // namespace hearth::ui
