-- What crashes can have cost: requests that keys spent on credit, before the server recorded them. One row for each window.

CREATE TABLE credit (
    window  TEXT PRIMARY KEY CHECK (window IN ('minute', 'day')),
    -- Whether a server gives credit, or gave it and was not stopped properly. The same in both rows.
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    -- The window in which a server started after a crash, in seconds since the Unix epoch.
    start   INTEGER NOT NULL,
    -- So many crashes count in it: each can have cost every key its whole credit.
    crashes INTEGER NOT NULL CHECK (crashes >= 0)
) STRICT, WITHOUT ROWID;
