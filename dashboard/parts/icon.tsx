const paths = {
  board: 'M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  agents: 'M12 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM5 20c.6-4 3.400-6 7-6s6.400 2 7 6',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  checks: 'M4 12l5 5L20 6',
  report: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  figures: 'M4 20V4M4 20h16M8 16l4-5 3 3 5-7',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  start: 'M12 5v14M5 12h14',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  right: 'M9 5l7 7-7 7',
  play: 'M7 5l12 7-12 7z',
  pause: 'M8 5v14M16 5v14',
  down: 'M5 9l7 7 7-7',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  branch: 'M7 4v12M7 16a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM17 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM17 8c0 5-10 3-10 8',
  help: 'M9 9a3 3 0 1 1 4 2.800c-.7.300-1 .800-1 1.700V14M12 17.500v.1',
  leave: 'M14 4h5v16h-5M4 12h10M10 8l4 4-4 4',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 10l2 2 4-4M9 15h6',
  file: 'M6 3h9l4 4v14H6z',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5',
  key: 'M8 11a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM11 12l8-8M15 8l3 3',
  schedule: 'M4 6h9M8 12h9M13 18h7M4 4v16',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
