/// The plans of API keys. The document can declare them instead, as `x-rate-limits`.
const PLANS: &[PlanInfo] = &[
    PlanInfo {
        name: "anonymous",
        limits: Some(RateLimits {
            per_minute: 60,
            per_day: 10_000,
        }),
    },
    PlanInfo {
        name: "standard",
        limits: Some(RateLimits {
            per_minute: 600,
            per_day: 100_000,
        }),
    },
    // Each key of this plan has limits of its own.
    PlanInfo {
        name: "enterprise",
        limits: None,
    },
];

