/** A person's answer to something that waits for an approval. */
export interface Approval {
  /** `change`: the words describe the wanted change. */
  readonly decision: 'approve' | 'stop' | 'change'
  /** Everything after the deciding word; the whole text for `change`. */
  readonly words: string
}

const approving = ['approve', 'approved', 'yes', 'y', 'ok', 'go']

/** Reads a reply by its first word. */
export function readApproval(text: string): Approval {
  const [, word = '', rest = ''] = /^\W*(\w+)[\s:,.;!-]*([\s\S]*)$/.exec(text) ?? []
  const words = rest.trim()
  if (approving.includes(word.toLowerCase())) return { decision: 'approve', words }
  if (['stop', 'cancel'].includes(word.toLowerCase())) return { decision: 'stop', words }
  return { decision: 'change', words: text }
}
