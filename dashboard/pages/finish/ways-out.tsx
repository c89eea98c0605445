import { useId, useState } from 'react'
import type { Finish, Land, Landing } from '../../../src/api/finish.ts'
import { useHold } from '../../data/held.ts'
import { isAlone, may } from '../../data/may.ts'
import { plural } from '../../figures-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { forOperators } from '../../parts/for-operators.tsx'
import { Problem } from '../../parts/notice.tsx'
import { AnywayDialog } from './anyway-dialog.tsx'
import { LandingView } from './landing-view.tsx'

interface Props {
  readonly finish: Finish
  readonly branch: string
}

/** Every way to hand over the result, with an explanation and its outcome. */
export function WaysOut({ finish, branch }: Props) {
  const land = useHold()
  const [newest, ...earlier] = finish.landings
  const isUnderWay = newest !== undefined && newest.state !== 'LANDED' && newest.state !== 'REFUSED'
  const [held, setHeld] = useState<Land | null>(null)
  const isHeld = finish.refusal !== null
  const isBusy = land.isHeld || isUnderWay
  const disabled = isBusy || (isHeld && !finish.anyway)
  const go = (input: Land) => land.mutate({ give: 'land', run: finish.run, land: input })
  const ask = finish.anyway ? setHeld : go
  const isChangeHeld = finish.change_refusal !== null
  return (
    <div className="finish-section">
      <h3>Where to?</h3>
      {finish.refusal && <Refusal finish={finish} refusal={finish.refusal} />}
      {land.isError && <Problem error={land.error} />}
      {newest && <LandingView landing={newest} again={isUnderWay || isHeld || !may('operator') ? null : go} />}
      <ul className="finish-ways">
        <OntoBranch finish={finish} disabled={disabled} go={ask} />
        <AsChange finish={finish} disabled={isBusy || (isChangeHeld && !finish.anyway)} go={isChangeHeld ? ask : go} />
        {isAlone() && <InTree finish={finish} disabled={disabled} go={ask} />}
        <li>
          <div className="grow">
            <strong>Look at the branch</strong>
            <p className="sub">
              {finish.gone ?? `The verified commit is at ${branch}, a branch of its own in your repository.`}
            </p>
          </div>
          <div className="finish-do">{finish.commands.look !== null && <Copy text={finish.commands.look} />}</div>
        </li>
      </ul>
      {earlier.length > 0 && <Earlier landings={earlier} />}
      {held !== null && (
        <AnywayDialog
          finish={finish}
          close={() => setHeld(null)}
          go={(anyway) => {
            setHeld(null)
            go({ ...held, anyway })
          }}
        />
      )}
    </div>
  )
}

/** The list above names the reason and the remedy. */
function Refusal({ finish, refusal }: { readonly finish: Finish; readonly refusal: NonNullable<Finish['refusal']> }) {
  if (finish.verdict.holds.length > 0)
    return (
      <p className="sub">
        {finish.change_refusal === null
          ? 'It is offered plainly once nothing holds it; its change is still brought up to date. '
          : 'It is offered plainly once nothing holds it. '}
        {finish.anyway && 'Until then you can land it anyway, with a reason that its receipt keeps.'}
      </p>
    )
  return (
    <div className="problem">
      <strong>{refusal.message}</strong>
      <p>{refusal.todo}</p>
    </div>
  )
}

interface WayProps {
  readonly finish: Finish
  readonly disabled: boolean
  readonly go: (input: Land) => void
}

const OntoBranch = forOperators(function OntoBranch({ finish: { branches, anyway }, disabled, go }: WayProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const field = useId()
  const about = useId()
  const to = branches.find(({ name }) => name === chosen) ?? branches[0]
  if (to === undefined) return null
  return (
    <li>
      <div className="grow">
        <strong>Merge locally</strong>
        <p className="sub" id={about}>
          Moves the branch to the verified commit. If the branch has moved since, the merge is verified first, and only
          a green one moves it. Never by force, and nothing is pushed.
        </p>
        <Copy text={to.command} />
      </div>
      <div className="finish-do">
        <label className="visually-hidden" htmlFor={field}>
          Branch
        </label>
        <select
          id={field}
          className="input"
          value={to.name}
          disabled={disabled}
          onChange={({ target }) => setChosen(target.value)}
        >
          {branches.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <button
          type="button"
          className={anyway ? 'button' : 'button primary'}
          disabled={disabled}
          aria-describedby={about}
          onClick={() => go({ goal: 'onto', branch: to.name })}
        >
          {anyway ? `Merge into ${to.name} anyway…` : `Merge into ${to.name}`}
        </button>
      </div>
    </li>
  )
})

const AsChange = forOperators(function AsChange({
  finish: { forge, change, commands, change_refusal, anyway },
  disabled,
  go,
}: WayProps) {
  const about = useId()
  if (forge === null) {
    return (
      <li>
        <div className="grow">
          <strong>Open a change</strong>
          <p className="sub">
            The remote “origin” does not lead to a forge that Drydock knows. Name one under “forges” in your own
            configuration file.
          </p>
        </div>
      </li>
    )
  }
  return (
    <li>
      <div className="grow">
        <strong>Open a change on {forge.name}</strong>
        <p className="sub" id={about}>
          {change === null || change.state === 'open'
            ? 'Pushes the branch with its receipts, and opens a change with the report and a status on the verified commit.'
            : `Change ${change.number} is ${change.state}.`}
        </p>
        {change !== null && (
          <p>
            <a href={change.url} rel="noreferrer" target="_blank">
              Change {change.number} ({change.state})
            </a>
          </p>
        )}
        {forge.problem && (
          <p className="sub">
            {forge.problem.message} {forge.problem.todo}
          </p>
        )}
        <Copy text={commands.change} />
      </div>
      <div className="finish-do">
        <button
          type="button"
          className="button"
          disabled={disabled || forge.problem !== null || (change !== null && change.state !== 'open')}
          aria-describedby={about}
          onClick={() => go({ goal: 'change' })}
        >
          {change === null ? 'Open a change' : 'Bring it up to date'}
          {anyway && change_refusal !== null && ' anyway…'}
        </button>
      </div>
    </li>
  )
})

const InTree = forOperators(function InTree({ finish: { commands, anyway }, disabled, go }: WayProps) {
  const about = useId()
  return (
    <li>
      <div className="grow">
        <strong>Apply</strong>
        <p className="sub" id={about}>
          Changes the files of your working tree as verified, and commits nothing. Where that would overwrite something
          of yours, no file is touched.
        </p>
        <Copy text={commands.apply} />
      </div>
      <div className="finish-do">
        <button
          type="button"
          className="button"
          disabled={disabled}
          aria-describedby={about}
          onClick={() => go({ goal: 'apply' })}
        >
          {anyway ? 'Apply to your files anyway…' : 'Apply to your files'}
        </button>
      </div>
    </li>
  )
})

function Earlier({ landings }: { readonly landings: readonly Landing[] }) {
  return (
    <details>
      <summary>{plural(landings.length, 'try before', 'tries before')}</summary>
      <div className="stack tight">
        {landings.map((landing) => (
          <LandingView key={landing.id} landing={landing} again={null} />
        ))}
      </div>
    </details>
  )
}
