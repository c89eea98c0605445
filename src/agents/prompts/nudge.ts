import { limits } from '../../domain/limits.ts'
import { speaksOfCall } from '../../domain/reply/calls-in-text.ts'

interface WithoutCall {
  readonly stop: 'calls' | 'end' | 'length' | 'refused'
  readonly text: string
}

interface NudgeInput {
  readonly terminalTool: string
  readonly tools: readonly string[]
  /** Number of cut replies in a row, including this one. */
  readonly cutReplies: number
}

/** The answer to a reply without a tool call, for a model with these tools. */
export function nudge({ stop, text }: WithoutCall, { terminalTool, tools, cutReplies }: NudgeInput): string {
  switch (stop) {
    case 'length':
      if (cutReplies >= limits.cutReplies.split)
        return `<reminder>Your last ${cutReplies} replies were cut off at the token limit and none of them was carried out. Split the work: change one small part of one file with each call, and write no long text.</reminder>`
      return `<reminder>Your reply was cut off at the token limit and none of it was carried out. Take a smaller step with one tool call.</reminder>`
    case 'refused':
      return `<reminder>The provider withheld your reply. Continue the task by calling a tool.</reminder>`
    default:
      if (speaksOfCall(text, tools)) {
        return `<reminder>Your text looks like a tool call, but none arrived, and nothing was carried out. Make the call through the tool interface, or write the call alone, without any other text.</reminder>`
      }
      return `<reminder>Only tool calls have an effect here. Continue by calling a tool. When you are done, call \`${terminalTool}\`.</reminder>`
  }
}

export function isNudge(text: string): boolean {
  return text.startsWith('<reminder>')
}
