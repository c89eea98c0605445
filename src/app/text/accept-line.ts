import type { ChatMessage } from '../../domain/chat.ts'

/**
 * The command line that accepts the findings of a question; empty for a question without findings.
 */
export function acceptLine({ run, story }: Pick<ChatMessage, 'run' | 'story'>, findings: readonly string[]): string {
  return findings.length === 0 ? '' : `\`drydock accept ${run}/${story} <id>…\` accepts findings.`
}
