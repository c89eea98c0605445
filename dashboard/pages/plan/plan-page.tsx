import { useState } from 'react'
import type { Plan, PlanProblem } from '../../../src/api/plan.ts'
import { useDraft } from '../../data/draft.ts'
import { useOperation } from '../../data/operation.ts'
import { useRun } from '../../data/queries.ts'
import { forOperators } from '../../parts/for-operators.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { OtherRole } from '../../parts/other-role.tsx'
import { href, navigate } from '../../router.ts'
import {
  add,
  change,
  type Draft,
  type DraftStory,
  differenceOf,
  draftOf,
  isNothing,
  rebase,
  toApi,
} from './edit-stories.ts'
import { PlanEstimate } from './plan-estimate.tsx'
import { SaveBar } from './save-bar.tsx'
import { StoryActions } from './story-actions.tsx'
import { StoryEditor } from './story-editor.tsx'
import { useEditPlan, usePlan } from './use-plan.ts'
import '../../styles/plan.css'

/** The stories of a Run, to be edited before they begin. */
export const PlanPage = forOperators(
  function PlanPage({ run }: { readonly run: string }) {
    const title = useRun(run).data?.title
    return (
      <div className="page">
        <header className="page-head">
          <div>
            <h1>Edit the plan</h1>
            {title && (
              <p className="sub">
                <a href={href('runs', run)}>{title}</a>
              </p>
            )}
          </div>
        </header>
        <Loaded query={usePlan(run)} what="the plan">
          {(plan) =>
            plan.editable === null ? (
              <Empty icon="board" title="There is nothing to edit now">
                <p>A plan can be edited until its stories have begun.</p>
              </Empty>
            ) : (
              <Editor plan={plan} />
            )
          }
        </Loaded>
      </div>
    )
  },
  () => <OtherRole needs="operator" />,
)

/** Parses a draft from storage; null if it is invalid. */
function draftIn(text: string): Draft | null {
  try {
    const draft = JSON.parse(text) as Draft
    return Array.isArray(draft.stories) && Array.isArray(draft.base) ? draft : null
  } catch {
    return null
  }
}

function Editor({ plan }: { readonly plan: Plan }) {
  const { run, version, editable, repositories } = plan
  const [text, setText, clear] = useDraft(`plan.${run}`)
  const [problems, setProblems] = useState<readonly PlanProblem[]>([])
  const [both, setBoth] = useState<readonly string[]>([])
  const edit = useEditPlan(run)
  const build = useOperation('buildPlan')
  const draft = draftIn(text) ?? draftOf(plan)
  const { base, stories } = draft
  const difference = differenceOf(base, stories)
  const isOld = draft.version !== version && !isNothing(difference)
  const set = (next: readonly DraftStory[]) => {
    setProblems([])
    setText(JSON.stringify({ ...draft, stories: next } satisfies Draft))
  }
  const discard = () => {
    setProblems([])
    setBoth([])
    clear()
  }
  const save = () =>
    edit.mutate(
      { run, version: draft.version, stories: toApi(stories) },
      {
        onSuccess: (answer) => {
          setProblems(answer.problems)
          if (answer.outcome === 'edited') discard()
        },
      },
    )
  const putOnTop = () => {
    const theirs = draftOf(plan)
    const rebased = rebase(draft, theirs.base)
    setBoth(rebased.both)
    setText(JSON.stringify({ ...theirs, stories: rebased.stories } satisfies Draft))
  }
  const known = new Set(base.map(({ id }) => id))
  // Without edits the current plan is shown, even if it is newer than the draft.
  const shown = isNothing(difference) ? draftOf(plan).stories : stories
  return (
    <>
      <p className="sub">{hints[editable ?? 'shown']}</p>
      <PlanEstimate estimate={plan.estimate} />
      {isOld && <Outdated mine={base} plan={plan} putOnTop={putOnTop} discard={discard} />}
      {both.length > 0 && (
        <p className="notice quiet" role="status">
          Both of you changed {both.join(', ')}. Where you changed the same field, yours stands.
        </p>
      )}
      <ol className="plan-stories">
        {shown.map((story, i) => (
          <li key={story.key}>
            {story.begun ? (
              <section className="card card-body" aria-label={story.title}>
                <h2>{story.title}</h2>
                <p className="sub">
                  <code>{story.id}</code> has begun. It stays as it is.
                </p>
              </section>
            ) : (
              <StoryEditor
                story={story}
                others={shown.filter(({ key }) => key !== story.key)}
                problems={problems.filter((problem) => problem.story === i)}
                isNew={!known.has(story.key)}
                repositories={repositories}
                change={(changes) => set(change(shown, story.key, changes))}
              >
                <StoryActions story={story} stories={shown} change={set} />
              </StoryEditor>
            )}
          </li>
        ))}
      </ol>
      <div className="row">
        <button type="button" className="button" onClick={() => set(add(shown))}>
          Add a story
        </button>
      </div>
      {(edit.isError || build.isError) && <Problem error={edit.error ?? build.error} />}
      <SaveBar
        difference={difference}
        problems={problems}
        saved={edit.isSuccess && edit.data.outcome === 'edited' && isNothing(difference) ? edit.data.handed : null}
        isBusy={edit.isPending || build.isPending}
        canSave={!isOld}
        save={save}
        discard={discard}
        build={
          editable === 'shown'
            ? () => build.mutate({ run, version }, { onSuccess: ({ run: started }) => navigate('runs', started) })
            : null
        }
      />
    </>
  )
}

const hints: Readonly<Record<NonNullable<Plan['editable']>, string>> = {
  shown: 'Nothing is built yet. Save your changes, then build the stories.',
  approval: 'The stories wait for your approval. Saved changes are asked for again.',
  building: 'The run builds them. Stories that have begun stay as they are.',
}

interface OutdatedProps {
  readonly mine: readonly DraftStory[]
  readonly plan: Plan
  readonly putOnTop: () => void
  readonly discard: () => void
}

/** Somebody else has changed the plan first; this person's edits are kept. */
function Outdated({ mine, plan, putOnTop, discard }: OutdatedProps) {
  const { added, changed, dropped, reordered } = differenceOf(mine, draftOf(plan).base)
  const parts = [
    changed.length > 0 && `changed ${changed.join(', ')}`,
    added.length > 0 && `added ${added.join(', ')}`,
    dropped.length > 0 && `dropped ${dropped.join(', ')}`,
    reordered && 'changed the order',
  ].filter((part) => part !== false)
  return (
    <div className="problem" role="alert">
      <strong>The plan has changed since you began.</strong>
      <p>
        {parts.length > 0 ? `Somebody has ${parts.join(', and ')}. ` : 'A story has begun. '}
        What you wrote is still here.
      </p>
      <div className="row">
        <button type="button" className="button primary" onClick={putOnTop}>
          Put my changes on top
        </button>
        <button type="button" className="button" onClick={discard}>
          Drop my changes
        </button>
      </div>
    </div>
  )
}
