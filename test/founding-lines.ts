/** The lines of docs/seeds.md, in its order, each with the tests that show it. */
export const foundingLines: readonly (readonly [
  line: string,
  tests: readonly (readonly [file: string, title: string])[],
])[] = [
  [
    'The Editor is the single source of modifications',
    [['test/scenarios/task.test.ts', 'ends with a branch at exactly the commit that was verified']],
  ],
  [
    'It defines behaviour change, acceptance criteria, non-goals',
    [
      [
        'test/scenarios/malformed.test.ts',
        'that hands in an incomplete plan is told what is missing, and goes on in its lane',
      ],
    ],
  ],
  [
    'Scouts A and B are read-only (invariants 1 and 2)',
    [
      ['test/scenarios/scouts.test.ts', 'can only read'],
      ['test/promises/tools.test.ts', 'can write nothing while planning'],
    ],
  ],
  [
    'Their reports reach the editor, word for word in `agent/context_###.md`',
    [['test/scenarios/scouts.test.ts', 'answer their editor, and their reports are kept in context files']],
  ],
  [
    'Scout B reports commands, failures, flakiness and the environment',
    [['test/scenarios/scouts.test.ts', 'are told which fields of a report are wrong, and may correct it']],
  ],
  [
    '`agent/context_latest.md` points to the newest context file (D12)',
    [['test/scenarios/task.test.ts', 'writes context files that are not part of the change']],
  ],
  [
    'The diff is minimal (invariant 7); files outside the plan are named',
    [['test/scenarios/task.test.ts', 'names the files that its plan did not']],
  ],
  [
    'The Verifier gates "done"',
    [['test/gate/real/verify-command.long.ts', 'whose editor only plants what git ignores fails']],
  ],
  [
    'On failure: localize, fix, verify again',
    [['test/scenarios/task.test.ts', 'goes on in the same lane after a failure, with the log in its result']],
  ],
  [
    'On green: what, why, how verified, `run_id`',
    [
      [
        'test/domain/reports.test.ts',
        'says what, why, how it was verified, what covers it, and what the plan did not name',
      ],
    ],
  ],
  [
    'Editor → Verifier: one response with PASS, FAIL or INFRA_ERROR',
    [
      [
        'test/gate/real/verifier.test.ts',
        'answers with its verdict, and leaves manifest, logs and build output, and nothing else',
      ],
    ],
  ],
  [
    'The repository is mounted read-only and a write fails at once (invariant 3, D6)',
    [
      [
        'test/gate/real/verifier-attacks.test.ts',
        'into the repository, beside the folders of ARTIFACT_DIR or into the system fails at once',
      ],
    ],
  ],
  [
    'Writable: `logs/`, `build/`, `cache/`, `tmp/` of `ARTIFACT_DIR` only (D6)',
    [
      [
        'test/gate/real/verifier.test.ts',
        'can be written to only in the four folders of ARTIFACT_DIR and in fresh bounded ones',
      ],
    ],
  ],
  ['Run manifest', [['test/scenarios/task.test.ts', 'leaves a manifest and logs of its verification']]],
  [
    'Test mode: snapshots are not updated (D7)',
    [
      ['test/gate/real/verifier.test.ts', 'is for tests, has its folders in ARTIFACT_DIR and nothing of the host'],
      ['test/scenarios/verify.test.ts', 'is refused before a run is made: %s'],
    ],
  ],
  [
    'Invariants 4, 6: green before "done" (D5), hard stop at 12 with a stuck report (D4)',
    [
      [
        'test/scenarios/money/failures.test.ts',
        'twelve times ends the story with all that was believed and all that was run',
      ],
    ],
  ],
  [
    'Invariant 5: REPLAN after 3 consecutive failures, up to 3 of them (D4)',
    [
      ['test/domain/failures.test.ts', 'replan after 3, 6 and 9 failures in a row and stop at 12, without a replan'],
      ['test/scenarios/money/failures.test.ts', 'three times in a row opens fresh lanes that know what was tried'],
    ],
  ],
  [
    'Invariant 6: the total resets on green only',
    [
      [
        'test/domain/failures.test.ts',
        'of any sequence replan after 3 in a row, stop at 12 in all, and start again with a PASS',
      ],
    ],
  ],
  [
    'Invariant 8: retention of 20 runs or 14 days, stuck ones kept',
    [
      ['test/domain/retention.test.ts', 'none is kept for more than 14 days'],
      [
        'test/scenarios/repositories/retention.test.ts',
        'of more than 20 verifications go, the oldest first, when a run ends; a stuck run keeps its own',
      ],
    ],
  ],
  [
    'Invariant 9: scout queries are tried 3 times, then INFRA_ERROR (D3, D14)',
    [['test/scenarios/scouts.test.ts', 'that give no report in three tries end the story as an infrastructure error']],
  ],
  [
    'Invariant 10: INFRA_ERROR ends the task with a stuck report (D2)',
    [
      [
        'test/gate/real/verify-command.long.ts',
        'without a sandbox ends as INFRA_ERROR with a stuck report and exit code 4',
      ],
    ],
  ],
  [
    "The repository's guide is in the prompts",
    [
      [
        'test/scenarios/money/failures.test.ts',
        'is in every prompt of the editor, and the repository’s guide beside it as data',
      ],
    ],
  ],
  [
    'New behaviour has tests (D13)',
    [
      ['test/domain/reports.test.ts', 'says so when no test covers it'],
      ['test/gate/gate.test.ts', 'holds new tests against a change that pass without it'],
    ],
  ],
  [
    'Workspace directories are made from `max_coders` once',
    [
      [
        'test/contracts/git/work-trees-contract.ts',
        'an empty folder is made for each slot, by two at once, and what is there stays',
      ],
      ['test/adapters/git/git-work-trees.test.ts', 'initialize leaves what exists as it is, with the same inodes'],
    ],
  ],
  [
    '`max_coders` is in the configuration (D9)',
    [['test/config/load.test.ts', 'has a committed budget and max_coders only where they lower what the user has']],
  ],
  ['A fresh clone for each story', [['test/adapters/git/git-prepare.test.ts', 'equals a fresh clone']]],
  [
    'The workspace changes in SETUP only',
    [['test/domain/story-machine.test.ts', 'answers every event in every state as its table says']],
  ],
  [
    'Concurrent operations; a mirror, updated under a lock',
    [
      [
        'test/adapters/git/git-concurrency.long.ts',
        'ten slots prepared at once, by two owners of the state, while the mirror is updated, are ten whole clones',
      ],
    ],
  ],
  [
    'All workspaces and the mirror mounted read-only (D10)',
    [
      [
        'test/workflow/architect-sandbox.test.ts',
        'the sandbox shows a workspace of each slot and the mirror, all read-only, and nothing else',
      ],
      ['test/adapters/sandbox/architect-sandbox.test.ts', 'nothing can be written anywhere below /mnt'],
    ],
  ],
  [
    'One restart, then fatal',
    [
      [
        'test/workflow/architect-sandbox.test.ts',
        'a sandbox that died is restarted once, then ends with an error, then may be tried anew',
      ],
    ],
  ],
  [
    '`read_file`',
    [
      ['test/promises/tools.test.ts', 'reads up to a mebibyte and refuses a byte more'],
      ['test/promises/tools.test.ts', 'shows a part and says where it goes on'],
    ],
  ],
  ['`list_files`', [['test/promises/tools.test.ts', 'stops at a thousand']]],
  ['`get_diff` (D8)', [['test/promises/tools.test.ts', 'names both commits, and they exist']]],
  [
    'With `coder_id`, and on the run branch',
    [
      ['test/promises/architect-reads.test.ts', 'the architect reads what an editor has not committed'],
      ['test/promises/architect-reads.test.ts', 'compares with an earlier commit of the story'],
    ],
  ],
  [
    'No other workspace, no way out',
    [
      ['test/promises/architect-reads.test.ts', 'another coder’s workspace is refused by every tool'],
      ['test/promises/architect-reads.test.ts', 'no path, link or second name of a file leads out of the workspace'],
    ],
  ],
  [
    '`submit_reply`',
    [
      [
        'test/scenarios/crew/architect-iterations.test.ts',
        'a malformed reply never ends the lane: it says what is wrong, and the next may be right',
      ],
    ],
  ],
  [
    'One registry, documentation generated from it',
    [['test/agents/registry.test.ts', 'documents every tool of a role in its prompt, with all its fields']],
  ],
  [
    'The same over MCP',
    [['test/promises/mcp.test.ts', 'is told of the read tools as the registry has them, and of status and reply']],
  ],
  [
    'Warning at the soft limit, a human at the hard limit, the counter starts at 0 (D1)',
    [
      [
        'test/scenarios/crew/architect-iteration-limits.test.ts',
        'by default: warned from the 8th request, refused from the 12th; a human is asked, from 0 again',
      ],
    ],
  ],
  [
    'Limits come from the configuration',
    [
      [
        'test/scenarios/crew/architect-iteration-limits.test.ts',
        'of the configuration hold for requests and for scoping',
      ],
    ],
  ],
  [
    'Counters survive a restart',
    [['test/scenarios/crew/architect-iteration-limits.test.ts', 'count on after the owner has stopped in the middle']],
  ],
  [
    'Context is flushed between states',
    [
      [
        'test/scenarios/crew/architect-context-flush.test.ts',
        'each lane starts with its own prompt alone, and its requests only grow',
      ],
      ['test/scenarios/crew/architect-context-flush.test.ts', 'nothing of one story is in a request about the other'],
    ],
  ],
  [
    'An explicit terminal tool, no heuristics',
    [['test/scenarios/malformed.test.ts', 'that only talks, or says nothing, is reminded of its tools']],
  ],
  [
    'The state is the loop',
    [
      [
        'test/scenarios/crew/architect-iterations.test.ts',
        'in every state the architect is asked, reads and is asked again, until it calls the terminal tool',
      ],
      [
        'test/scenarios/crew/architect-iterations.test.ts',
        'no model is asked while the Run is MONITORING, but by stories and their requests',
      ],
    ],
  ],
  [
    'Approvals',
    [
      [
        'test/scenarios/crew/reviews.test.ts',
        'that is sent back goes on in the same lane, with the findings, and is reviewed again with what has changed',
      ],
    ],
  ],
  [
    'Questions',
    [
      [
        'test/scenarios/crew/reviews.test.ts',
        'is answered in the editor’s lane, while planning and while coding, and has no verdict',
      ],
    ],
  ],
  [
    'Budget reviews without tools',
    [
      [
        'test/scenarios/crew/reviews-escalated.test.ts',
        'an editor whose turns are used up goes on as the architect says from the figures, or a human does',
      ],
    ],
  ],
  [
    'Every tool call of an agent is persisted',
    [
      ['test/promises/tools.test.ts', 'leaves a row with session, lane, arguments, result, duration and success'],
      ['test/scenarios/malformed.test.ts', 'leaves a row for every refused call'],
    ],
  ],
  [
    'Messages with `reply_to` and `post_type`, stable ids',
    [
      [
        'test/scenarios/crew/chat.test.ts',
        'that is too long is refused, and what is stored keeps its id over restarts',
      ],
    ],
  ],
  [
    'Migration of the chat tables, with both indexes',
    [
      ['test/adapters/sqlite-store.test.ts', 'keeps what it holds and gets the chat when it is opened'],
      ['test/adapters/sqlite-store.test.ts', 'has indexes for answers, types, and the messages of a Run'],
    ],
  ],
  [
    'Agents and humans post and read',
    [
      [
        'test/scenarios/crew/chat.test.ts',
        'post to the thread of their story, read it with what humans wrote to the Run, and see nothing of siblings',
      ],
    ],
  ],
  [
    'Others continue during an escalation',
    [['test/scenarios/crew/reviews-escalated.test.ts', 'a question that is escalated holds up nobody else']],
  ],
  [
    'The dashboard shows it, takes the reply, and notifies',
    [
      [
        'test/e2e/journeys.long.ts',
        'somebody is asked and answers by clicks and in words, talks, retries, skips, pauses, pays more and cancels',
      ],
      [
        'test/e2e/notifications.long.ts',
        'where notifications are allowed each question is told once, also after the connection was lost',
      ],
    ],
  ],
  [
    'Tool execution',
    [
      [
        'test/scenarios/crew/architect-tool-execution.test.ts',
        'of architect and editors leaves a row with role, story, arguments, result, success and duration',
      ],
    ],
  ],
  [
    'End to end, an architect and two coders',
    [
      [
        'test/scenarios/crew/architect-end-to-end.test.ts',
        'has them create files side by side, each in a workspace of its own',
      ],
      [
        'test/scenarios/crew/architect-end-to-end.test.ts',
        'leaks nothing of one story into any request about the other',
      ],
    ],
  ],
  [
    "Tools called through a real provider's format",
    [['test/promises/wire-task.test.ts', 'ends with a verified branch, whatever went wrong on the way']],
  ],
]
