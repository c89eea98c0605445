import {
  Commits,
  IssueDiscussions,
  IssueLabelEvents,
  IssueNotes,
  Issues,
  Jobs,
  MergeRequestDiscussions,
  MergeRequestNotes,
  MergeRequests,
  ProjectMembers,
  Users,
} from '@gitbeaker/core'
import { createRequesterFn, type RequestOptions } from '@gitbeaker/requester-utils'
import type { ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { tokenOf } from '../token-credentials.ts'
import { createTransport, type Transport } from '../transport.ts'

/** The resources of GitLab's API that Drydock uses, on our own transport. */
export interface Resources {
  readonly mergeRequests: MergeRequests
  readonly discussions: MergeRequestDiscussions
  readonly issueDiscussions: IssueDiscussions
  readonly issueLabelEvents: IssueLabelEvents
  readonly changeNotes: MergeRequestNotes
  readonly issues: Issues
  readonly issueNotes: IssueNotes
  readonly commits: Commits
  readonly jobs: Jobs
  readonly members: ProjectMembers
  readonly users: Users
}

export function createResources({ name, url, credentials }: ForgeAccess): Resources {
  const host = url.replace(/\/+$/, '')
  const transport = createTransport({ name, api: `${host}/api/v4` })
  const requesterFn = createRequesterFn(
    async (_, options) => options,
    (path, options) => send(transport, path, options ?? {}),
  )
  // The transport has its own timeouts.
  const options = { host, token: tokenOf({ credentials }), requesterFn, queryTimeout: null }
  return {
    mergeRequests: new MergeRequests(options),
    discussions: new MergeRequestDiscussions(options),
    issueDiscussions: new IssueDiscussions(options),
    issueLabelEvents: new IssueLabelEvents(options),
    changeNotes: new MergeRequestNotes(options),
    issues: new Issues(options),
    issueNotes: new IssueNotes(options),
    commits: new Commits(options),
    jobs: new Jobs(options),
    members: new ProjectMembers(options),
    users: new Users(options),
  }
}

async function send(transport: Transport, path: string, options: Partial<RequestOptions>) {
  const { method = 'GET', headers, body, prefixUrl = '', searchParams } = options
  const url = new URL(path, prefixUrl.endsWith('/') ? prefixUrl : `${prefixUrl}/`)
  url.search = searchParams ?? ''
  const response = await transport(url, { method, headers: headers as Record<string, string>, body: body ?? null })
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return {
    body: isJson ? ((await response.json()) as Record<string, unknown>) : await response.text(),
    headers: Object.fromEntries(response.headers),
    status: response.status,
  }
}
