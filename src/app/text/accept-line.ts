import type { ChatMessage } from '../../domain/chat.ts'

/** How the findings that a question is about are accepted; empty for any other question. */
export function acceptLine({ run, story }: Pick<ChatMessage, 'run' | 'story'>, findings: readonly string[]): string {
  return findings.length === 0 ? '' : `\`drydock accept ${run}/${story} <id>…\` accepts findings.`
}
