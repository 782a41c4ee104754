import React from "react";

type Props = { level: number };

// A gauge.
export function Gauge({ level }: Props) {
  return (
    <div className="gauge">
      <b>{level > 3 ? "high" : "low"}</b>
    </div>
  );
}

export const Dock = React.memo(() => <Gauge level={3} />);

export const Panel = () => {
  return <Dock />;
};
