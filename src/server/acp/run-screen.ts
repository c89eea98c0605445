import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunNow } from '../../app/views/window/run-now.ts'
import type { RunWindow } from '../../app/views/window/run-window.ts'
import { limits } from '../../domain/limits.ts'
import { firstLine } from '../../domain/text.ts'
import type { Client } from './client.ts'
import { createTranslation, message } from './event-updates.ts'
import { noticeOf } from './notice-of.ts'

interface Screen {
  readonly window: RunWindow
  readonly client: Client
  readonly repository: string
}

/** Sends a client the news of a session's Runs, and remembers what the client has. */
export interface RunScreen {
  /** Sends the news of a Run in order, and returns its current state. */
  show(run: string): Promise<RunNow | null>
  /** Sends all past events of a Run; without `tell`, only marks them as sent. */
  recall(run: string, options: { readonly tell: boolean }): Promise<void>
}

export function createRunScreen({ window, client, repository }: Screen): RunScreen {
  const translate = createTranslation({ window, repository })
  /** The last event of each Run that was sent. */
  const told = new Map<string, number>()
  const last = new Map<string, string>()

  /** Sends an update that replaces the previous one, if its content has changed. */
  async function replace(update: SessionUpdate): Promise<void> {
    const text = JSON.stringify(update)
    if (last.get(update.sessionUpdate) === text) return
    last.set(update.sessionUpdate, text)
    await client.update(update)
  }

  async function events(run: string, take: (event: Awaited<ReturnType<RunWindow['events']>>[number]) => Promise<void>) {
    for (;;) {
      const page = await window.events(run, told.get(run) ?? 0)
      if (page.length === 0) return
      for (const event of page) {
        await take(event)
        told.set(run, event.id)
      }
    }
  }

  async function stand(now: RunNow): Promise<void> {
    const { plan, title, tokens, costUsd, budget } = now
    await replace(infoOf(title))
    if (plan.length > 0) await replace({ sessionUpdate: 'plan', entries: plan.map(toEntry) })
    if (budget === null) return
    const cost = costUsd === null ? null : { amount: costUsd, currency: 'USD' }
    const more = { run_usd: budget.runUsd, story_usd: budget.storyUsd }
    await replace({
      sessionUpdate: 'usage_update',
      used: tokens,
      size: budget.runTokens,
      ...(cost && { cost }),
      _meta: { 'drydock/budget': more },
    })
  }

  return {
    async show(run) {
      await events(run, async (event) => {
        for (const update of await translate(event, false)) await client.update(update)
        const notice = noticeOf(event)
        if (notice === null) return
        const { title, description } = notice
        await client.update(
          client.notices
            ? { sessionUpdate: 'notice', ...notice }
            : message(event, `${title}. ${description ?? ''}`, 'agent_message_chunk'),
        )
      })
      const now = await window.now(run)
      if (now !== null) await stand(now)
      return now
    },
    async recall(run, { tell }) {
      const now = await window.now(run)
      await events(run, async (event) => {
        const updates = await translate(event, true)
        if (!tell) return
        if (event.type === 'run')
          await client.update(message(event, now?.asked ?? event.data.title, 'user_message_chunk'))
        for (const update of updates) await client.update(update)
      })
      if (tell && now !== null) await stand(now)
    },
  }
}

export function infoOf(title: string): SessionUpdate {
  return { sessionUpdate: 'session_info_update', title: shortTitle(title) }
}

/** The first line of a request. */
export function shortTitle(text: string): string {
  return firstLine(text).slice(0, limits.acp.titleChars)
}

function toEntry({ text, state, progress }: RunNow['plan'][number]) {
  return { content: `${text} (${state})`, priority: 'medium', status: progress } as const
}
