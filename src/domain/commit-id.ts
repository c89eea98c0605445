/** Whether a text is the whole id of a commit, and so no option, path or name of anything else. */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
