/** What a reply without a tool call is answered with. */
export function nudge(stop: 'calls' | 'end' | 'length' | 'refused', terminalTool: string): string {
  switch (stop) {
    case 'length':
      return `<reminder>Your reply was cut off at the token limit and none of it was carried out. Take a smaller step, with one tool call.</reminder>`
    case 'refused':
      return `<reminder>The provider withheld your reply. Go on with the task by calling a tool.</reminder>`
    default:
      return `<reminder>Only tool calls have an effect here. Go on by calling a tool; when you are done, call \`${terminalTool}\`.</reminder>`
  }
}

export function isNudge(text: string): boolean {
  return text.startsWith('<reminder>')
}
