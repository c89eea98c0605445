/** The answer to a reply without a tool call. */
export function nudge(stop: 'calls' | 'end' | 'length' | 'refused', terminalTool: string): string {
  switch (stop) {
    case 'length':
      return `<reminder>Your reply was cut off at the token limit and none of it was carried out. Take a smaller step with one tool call.</reminder>`
    case 'refused':
      return `<reminder>The provider withheld your reply. Continue the task by calling a tool.</reminder>`
    default:
      return `<reminder>Only tool calls have an effect here. Continue by calling a tool. When you are done, call \`${terminalTool}\`.</reminder>`
  }
}

export function isNudge(text: string): boolean {
  return text.startsWith('<reminder>')
}
