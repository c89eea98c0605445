import { carriedOver } from '../../domain/remark/remark-findings.ts'
import { canGoOn } from '../../domain/story/can-go-on.ts'
import { freshWork, type Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import { answerAboutCriteria } from '../architect/acceptance/unmet-criteria.ts'
import { askHuman } from '../chat/ask-human.ts'
import { answerAboutPlan } from '../editor/ask-about-plan.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { answerAboutBase } from '../verification/ask-about-base.ts'
import { advanceStory } from './advance-story.ts'
import type { StoryMove } from './move-story.ts'

/**
 * Applies a human's answer about a story: it returns to the state from which it asked, or, if it
 * had ended, it is retried or skipped, or it stops the Run.
 */
export async function guideStory(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  text: string,
): Promise<void> {
  if (story.state === 'ESCALATED' && story.data.redBase) return answerAboutBase(tx, deps, story, text)
  if (story.state === 'ESCALATED' && story.data.unmet?.findings) return answerAboutCriteria(tx, deps, story, text)
  if (story.state === 'ESCALATED' && story.data.isPlanAsked) return answerAboutPlan(tx, deps, story, text)
  if (story.state === 'ESCALATED') {
    await advanceStory(tx, deps, story, guidedMove(story, text))
    return
  }
  const [, word = '', guidance = ''] = /^\W*(\w+)[\s:,.;-]*([\s\S]*)$/.exec(text) ?? []
  switch (word.toLowerCase()) {
    case 'retry':
      await advanceStory(tx, deps, story, retryMove(story, guidance.trim() || null))
      return
    case 'skip':
      await advanceStory(tx, deps, story, { event: 'cancelled' })
      return
    case 'stop':
      return cancelRun(tx, deps, story.run)
    default:
      return askAgain(tx, story)
  }
}

function guidedMove({ data }: Story, text: string): StoryMove {
  switch (data.origin) {
    case 'PLANNING':
    case 'CODING':
      return { event: 'guided', answer: { output: '', guidance: text, ok: true } }
    case 'MERGING':
      return {
        event: 'merge_returned',
        answer: { output: data.merging?.facts ?? '', guidance: text, ok: false },
      }
    default:
      return { event: 'reopened', data: { guidance: text } }
  }
}

/**
 * The story starts again from its stuck report, with the guidance and all counters at 0. Without
 * guidance, a story that the infrastructure ended during its verification or merge continues there,
 * with all counters at 0.
 */
export function retryMove(story: Story, guidance: string | null): StoryMove {
  const { data } = story
  const earlierAttempts = data.attempts.length
  if (guidance === null && canGoOn(story)) {
    const { failures, flakyInRow, questions, extensions } = freshWork
    const anew = { failures, flakyInRow, questions, extensions, earlierAttempts }
    return { event: 'retried', data: { ...anew, stop: null, stuckReport: null } }
  }
  const retries = data.retries + 1
  const { reviews } = freshWork
  const kept = { ...reviews, code: { ...reviews.code, findings: carriedOver(data.reviews.code.findings) } }
  const name = `${data.name.replace(/@\d+$/, '')}@${retries + 1}`
  return {
    event: 'retried',
    data: {
      ...freshWork,
      reviews: kept,
      name,
      retries,
      guidance: guidance ?? data.guidance,
      earlierAttempts,
    },
  }
}

/** The question stays open, under a new message. */
async function askAgain(tx: Transaction, story: Story): Promise<void> {
  const escalation = await askHuman(tx, story, {
    agent: 'architect',
    tried: '',
    evidence: '',
    question: `Nothing was done: the reply must start with \`retry\`, \`skip\` or \`stop\`. What should happen to ${story.story}?`,
  })
  await tx.edit(story, { escalation })
}
