import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Event } from '../../src/api/events.ts'
import type { RunList } from '../../src/api/runs.ts'
import { useLive } from '../data/live.ts'
import { may } from '../data/may.ts'
import { keys, useRuns } from '../data/queries.ts'
import { useSharesWork } from '../data/workers.ts'
import { Boundary } from '../parts/boundary.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Loading, Problem } from '../parts/notice.tsx'
import { usePointedDiff } from '../parts/review/pointed-diff.ts'
import { href, useRoute } from '../router.ts'
import { Bar } from './bar.tsx'
import { useFocusedPage } from './focused-page.ts'
import { HeldBar } from './held-bar.tsx'
import { KeyHelp } from './key-help.tsx'
import { useKeys } from './keys.ts'
import { namesOf } from './names-of.ts'
import { mayNotify, notifyOf, useTitle } from './notify.ts'
import { Page } from './page.tsx'
import { Sidebar } from './sidebar.tsx'
import { SignOut } from './sign-out.tsx'

const Palette = lazyPart(() => import('../palette/palette.tsx').then(({ Palette }) => Palette))

/** The frame of every page: navigation, the number of waiting questions, and the connection. */
export function Shell() {
  const route = useRoute()
  const runs = useRuns()
  useSharesWork()
  usePointedDiff()
  const [menu, setMenu] = useState(false)
  const [help, setHelp] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const [finding, setFinding] = useState(false)
  const client = useQueryClient()
  const heard = (event: Event) => notifyOf(event, client.getQueryData<RunList>(keys.runs)?.escalations ?? [])
  const { connection, owned } = useLive(runs.data?.last_event ?? null, { heard, wantsAll: mayNotify })
  const waiting = may('operator') ? (runs.data?.escalations.filter(({ answered }) => !answered) ?? []) : []
  useTitle(waiting.length, runs.data ? namesOf(route, runs.data) : [])
  useFocusedPage(route)
  const togglePalette = useCallback(
    () => setFinding((now) => !now && document.querySelector('dialog[open]') === null),
    [],
  )
  const openPalette = () => {
    setMenu(false)
    setFinding(true)
  }
  useKeys({ help: useCallback(() => setHelp(true), []), palette: togglePalette, question: waiting[0] ?? null })
  if (!runs.data) {
    return (
      <main className="page narrow">
        {runs.isError ? <Problem error={runs.error} retry={() => void runs.refetch()} /> : <Loading what="the runs" />}
      </main>
    )
  }
  const sidebar = (
    <Sidebar
      {...{ list: runs.data, route, connection }}
      help={() => setHelp(true)}
      palette={openPalette}
      signOut={() => setLeaving(true)}
    />
  )
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      {sidebar}
      <div className="main">
        <header className="topbar">
          <button
            type="button"
            className="button quiet icon-only"
            aria-label="Menu"
            aria-expanded={menu}
            onClick={() => setMenu(true)}
          >
            <Icon name="menu" />
          </button>
          <a className="brand" href={href()}>
            <img src="/favicon.svg" alt="" />
            Drydock
          </a>
          <button
            type="button"
            className="button quiet icon-only spread"
            aria-label="Search and go"
            onClick={openPalette}
          >
            <Icon name="search" />
          </button>
          {waiting.length > 0 && (
            <a className="badge" href={href('questions')} aria-label={`${waiting.length} open questions`}>
              {waiting.length}
            </a>
          )}
        </header>
        <Bar connection={connection} owned={owned} list={runs.data} />
        <main id="main" tabIndex={-1} key={route.path.slice(0, 3).join('/')}>
          {route.path.includes('diff') && <SkipToDiff />}
          <Boundary>
            <Page route={route} list={runs.data} />
          </Boundary>
        </main>
      </div>
      {runs.data.held.length > 0 && <HeldBar held={runs.data.held} />}
      {menu && (
        <Dialog side title="Drydock" close={() => setMenu(false)}>
          {/** biome-ignore lint/a11y/noStaticElementInteractions: a click on any link in it closes the menu */}
          {/** biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click */}
          <div onClick={(event) => event.target instanceof HTMLAnchorElement && setMenu(false)}>{sidebar}</div>
        </Dialog>
      )}
      {finding && <Palette route={route} list={runs.data} close={() => setFinding(false)} />}
      {help && <KeyHelp close={() => setHelp(false)} />}
      {leaving && <SignOut close={() => setLeaving(false)} />}
    </div>
  )
}

/** Focuses the first file, as soon as the diff is there and while the button has the focus. */
function focusFirstFile(button: HTMLElement): void {
  const focus = () => {
    if (document.activeElement !== button) return true
    const name = document.querySelector<HTMLElement>('.diff-name')
    name?.focus()
    return name !== null
  }
  if (focus()) return
  const waiting = new MutationObserver(() => focus() && waiting.disconnect())
  waiting.observe(document.body, { subtree: true, childList: true })
}

/** A link for keyboards, as the first one in the Tab order, that skips headers and toolbars. */
function SkipToDiff() {
  return (
    <button type="button" className="skip" onClick={({ currentTarget }) => focusFirstFile(currentTarget)}>
      Skip to the diff
    </button>
  )
}
