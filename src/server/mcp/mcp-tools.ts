import { z } from 'zod'
import { getCoderDiff } from '../../agents/tools/get-diff.ts'
import { toolsOf } from '../../agents/tools/registry.ts'
import { done, type Tool } from '../../agents/tools/tool.ts'
import type { Acts } from '../../app/operations/operations.ts'
import type { OwnedRecords } from '../../app/state-access.ts'
import { handedOverWords } from '../../app/text/handed-over.ts'
import { mcpStatus } from '../../app/views/mcp-status.ts'
import { type OutsideSources, outsideContext } from '../../app/views/outside/outside-context.ts'
import { limits } from '../../domain/limits.ts'
import { defineMcpTool, type McpTool } from './mcp-tool.ts'

/**
 * All tools that are served: the architect's read tools from the registry, and further tools for
 * humans.
 */
export function mcpTools(
  drydock: OwnedRecords,
  acts: Pick<Acts, 'reply'>,
  sources: OutsideSources,
): readonly McpTool[] {
  const reads = toolsOf('architect_review').flatMap((tool) => (tool.kind === 'read' ? [readTool(sources, tool)] : []))
  return [status(drydock), reply(acts), ...reads]
}

const run = z.string().min(1).max(200).optional()

function status(drydock: OwnedRecords): McpTool {
  return defineMcpTool({
    name: 'status',
    purpose:
      'Show a run with its stories, the workspace that each is in, and the questions that wait for a human; and which other runs there are.',
    input: z.strictObject({ run: run.describe('id of a run; leave it out for the latest') }),
    readOnly: true,
    call: async (input) => done(JSON.stringify(await mcpStatus(drydock, input.run))),
  })
}

function reply(acts: Pick<Acts, 'reply'>): McpTool {
  return defineMcpTool({
    name: 'reply',
    purpose:
      'Answer a question that waits for a human, in the name of that human. The asking agent continues with the answer.',
    input: z.strictObject({
      message: z
        .string()
        .regex(/^\d{1,18}$/, 'must be the id of a message: digits')
        .describe('id of the question'),
      text: z.string().min(1).max(limits.chatChars),
    }),
    readOnly: false,
    call: async ({ message, text }) => done(handedOverWords[(await acts.reply({ id: message, text })).handed]),
  })
}

/**
 * A read tool from the registry. A tool about a Run also takes the Run's id; a tool about a
 * workspace does not.
 */
function readTool(sources: OutsideSources, tool: Extract<Tool, { readonly kind: 'read' }>): McpTool {
  const { name, purpose } = tool
  return {
    name,
    purpose,
    readOnly: true,
    input: tool.name === getCoderDiff.name ? shapeOf(tool) : shapeOf(tool).extend({ run: run.describe(whichRun) }),
    call(input, { signal }) {
      const { run: of, ...given } = input as { readonly run?: string }
      return tool.run(given, outsideContext(sources, of, signal))
    },
  }
}

const whichRun = 'id of the run that is meant where no workspace is; leave it out for the latest'

function shapeOf({ name, input }: Tool): z.ZodObject {
  const schema = input()
  if (!(schema instanceof z.ZodObject)) throw new Error(`the input of ${name} is no object`)
  return schema
}
