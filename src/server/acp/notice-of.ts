import type { Notice } from '@agentclientprotocol/sdk'
import { baseVerdictText } from '../../app/text/base-verdict-text.ts'
import { trialWarnings } from '../../app/text/trial-text.ts'
import type { Event } from '../../domain/event.ts'
import { sentence } from '../../domain/sentence.ts'

/** The notice that the user should see at once; null for any other event. */
export function noticeOf(event: Event): Notice | null {
  switch (event.type) {
    case 'suspended':
      return warning(
        event.data.because === 'disk' ? 'The disk is full' : 'The provider does not answer',
        sentence`${event.data.reason}. The work waits until ${event.data.until}.`,
      )
    case 'resumed':
      return {
        severity: 'info',
        title: event.data.because === 'disk' ? 'The disk has space again' : 'The provider answers again',
      }
    case 'model_tried': {
      const warnings = trialWarnings(event.data)
      return warnings.length === 0 ? null : warning(`${event.data.model} is weak`, warnings.join(' '))
    }
    case 'model_replaced': {
      const { from, to, reason } = event.data
      return warning(`${to} takes the place of ${from}`, reason)
    }
    case 'uncommitted': {
      const { count, files } = event.data
      const what = count === 1 ? '1 uncommitted file is' : `${count} uncommitted files are`
      return warning(`${what} no part of the work`, files.join(', '))
    }
    case 'unpriced': {
      const { models, run_tokens } = event.data
      return warning(
        'The cost is not known',
        `No price is known for ${models.join(', ')}. ${run_tokens} tokens are allowed.`,
      )
    }
    case 'fewer_coders': {
      const { asked, allowed } = event.data
      return warning(`At most ${allowed} stories are built at once`, `The repository asks for ${asked}.`)
    }
    case 'base_verdict': {
      const { status } = event.data
      return warning(`The base commit is ${status === 'FAIL' ? 'red' : 'green'}`, baseVerdictText(event.data))
    }
    case 'agent_failed':
      return warning(`The agent ${event.data.agent} failed`, event.data.message)
    case 'mcp_withdrawn': {
      const { server } = event.data
      return warning(
        `Agents have no tool of ${server} any more`,
        `It has other tools than you approved. Look at them: drydock mcp-servers approve ${server}`,
      )
    }
    case 'unkept':
      return warning('A workspace could not be kept', event.data.reason)
    case 'workspace_moved': {
      const { from, lost } = event.data
      return lost
        ? warning(`The machine ${from} is gone`, 'The story goes on elsewhere, from its last snapshot.')
        : null
    }
    default:
      return null
  }
}

function warning(title: string, description: string): Notice {
  return { severity: 'warning', title, description }
}
