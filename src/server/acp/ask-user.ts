import type { PermissionOption, ToolCall } from '@agentclientprotocol/sdk'
import type { Acceptable } from '../../app/views/window/run-now.ts'
import { limits } from '../../domain/limits.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Client } from './client.ts'
import { textContent } from './tool-update.ts'

/**
 * Asks whether to build stories or a task's plan. Null if the user wants to write an answer
 * instead.
 */
export async function askApproval(
  client: Client,
  { message }: OpenEscalation,
  signal: AbortSignal,
): Promise<string | null> {
  const build = message.story === null ? 'Build these stories' : 'Build this plan'
  const chosen = await permission(client, {
    id: `question/${message.id}`,
    title: `${build}?`,
    text: message.content,
    signal,
    options: [
      { optionId: 'approve', name: build, kind: 'allow_once' },
      { optionId: 'change', name: 'Say what to change', kind: 'reject_once' },
      { optionId: 'stop', name: 'Stop and build nothing', kind: 'reject_once' },
    ],
  })
  return chosen === 'change' ? null : chosen
}

/**
 * Asks a question of an agent, with a form or with its suggested answers. Null when the client
 * supports neither, or its user wants to answer in words.
 */
export async function askQuestion(client: Client, asked: OpenEscalation, signal: AbortSignal): Promise<string | null> {
  const { message, choice } = asked
  if (client.forms) return fillIn(client, asked, signal)
  if (choice === null) return null
  return permission(client, {
    id: `question/${message.id}`,
    title: titleOf(message.content),
    text: message.content,
    signal,
    options: [
      ...choice.options.map((name, i) => ({ optionId: `${i + 1}`, name, kind: 'allow_once' as const })),
      { optionId: words, name: 'Answer in words', kind: 'reject_once' },
    ],
  }).then((chosen) => (chosen === words ? null : chosen))
}

/** Asks whether to accept a finding, or a result without a change. */
export async function askAcceptance(client: Client, found: Acceptable, signal: AbortSignal): Promise<boolean> {
  const { id, claim, evidence, file } = found
  const chosen = await permission(client, {
    id: `accept/${id}`,
    title: `Accept ${id}? ${claim}`,
    signal,
    text: [claim, file, evidence].filter(Boolean).join('\n\n'),
    options: [
      { optionId: 'accept', name: 'Accept it as it is', kind: 'allow_once' },
      { optionId: 'leave', name: 'Leave it open', kind: 'reject_once' },
    ],
  })
  return chosen === 'accept'
}

const words = 'words'

interface Permission {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly options: PermissionOption[]
  readonly signal: AbortSignal
}

/**
 * Shows a question as a tool call that waits for permission, the only kind of question in the
 * protocol.
 */
async function permission(client: Client, { id, title, text, options, signal }: Permission): Promise<string | null> {
  const toolCall: ToolCall = {
    toolCallId: id,
    title,
    kind: 'other',
    status: 'pending',
    content: [textContent(text)],
  }
  await client.update({ sessionUpdate: 'tool_call', ...toolCall })
  const chosen = await client.choose({ toolCall, options }, signal)
  const status = options.find(({ optionId }) => optionId === chosen)?.kind === 'allow_once' ? 'completed' : 'failed'
  await client.update({ sessionUpdate: 'tool_call_update', toolCallId: id, status })
  return chosen
}

async function fillIn(
  client: Client,
  { message, choice }: OpenEscalation,
  signal: AbortSignal,
): Promise<string | null> {
  const own = { type: 'string', title: choice === null ? 'Your answer' : 'Or in your own words' } as const
  const options = choice?.options ?? []
  const suggested = {
    type: 'string',
    title: 'Suggested answers',
    oneOf: options.map((title, i) => ({ const: `${i + 1}`, title })),
  } as const
  const form = await client.fill(
    message.content,
    {
      type: 'object',
      properties: {
        ...(choice !== null && { suggested }),
        answer: { ...own, maxLength: limits.chatChars },
      },
      ...(choice === null && { required: ['answer'] }),
    },
    signal,
  )
  const [said, picked] = [form?.answer, form?.suggested].map((each) => (typeof each === 'string' ? each.trim() : ''))
  return said || picked || null
}

function titleOf(text: string): string {
  return text.split('\n')[0] ?? ''
}
